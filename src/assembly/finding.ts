/** What was looked at before or beside a start, and what is to be done about it. */
/** A warning does not keep the bridge from mining; a fault does. */
export interface Finding {
  readonly state: 'good' | 'warning' | 'fault';
  readonly what: string;
  readonly detail: string;
  readonly advice?: string;
}
