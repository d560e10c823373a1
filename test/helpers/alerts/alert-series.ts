/** What Prometheus would see of a bridge that is well, and what of one that each alert is about: for `promtool test rules`. */

const MINUTES = 180;
/** Each alert has been true long enough by then, and what changed for it has changed before. */
const LOOKED_AT = '120m';
/** Less often than in life: promtool is done five times as soon. */
const EVALUATED_EVERY = '5m';
const BRIDGE = 'job="stratum-bridge",instance="bridge:1920"';

const steady = (value: number): string => `${value}x${MINUTES}`;
const rising = (aMinute: number): string => `0+${aMinute}x${MINUTES}`;
/** A hundred minutes of one value, and then another. */
const turning = (before: number, after: number): string => `${before}x100 ${after}x80`;

/** Series without job and instance, as `name{label="…"}`, and their values by the minute. */
type Series = Readonly<Record<string, string>>;

const WELL: Series = {
  up: steady(1),
  process_start_time_seconds: steady(1_700_000_000),
  process_open_fds: steady(100),
  process_max_fds: steady(65_536),
  'stratum_bridge_node_healthy{url="http://node:1848"}': steady(1),
  stratum_bridge_sessions: steady(10),
  'stratum_bridge_submits_total{outcome="accepted"}': rising(60),
  'stratum_bridge_submits_total{outcome="stale"}': rising(1),
  stratum_bridge_accepted_work_hashes_total: rising(1000),
  stratum_bridge_stale_work_hashes_total: rising(1),
  'stratum_bridge_job_delay_seconds_bucket{clean="true",le="0.1"}': rising(2),
  'stratum_bridge_job_delay_seconds_bucket{clean="true",le="5"}': rising(2),
  'stratum_bridge_job_delay_seconds_bucket{clean="true",le="+Inf"}': rising(2),
  'stratum_bridge_submit_answer_seconds_bucket{le="0.1"}': rising(60),
  'stratum_bridge_submit_answer_seconds_bucket{le="5"}': rising(60),
  'stratum_bridge_submit_answer_seconds_bucket{le="+Inf"}': rising(60),
  'stratum_bridge_solutions_settled_total{state="received"}': steady(7),
  stratum_bridge_hashes_per_second: steady(1000),
  stratum_bridge_fresh_job_age_seconds: steady(20),
  stratum_bridge_fork_votes_differ: steady(0),
  stratum_bridge_disk_free_bytes: steady(1e11),
  'stratum_bridge_certificate_ends_in_seconds{of="rigs"}': steady(30 * 86_400),
  'stratum_bridge_certificate_ends_in_seconds{of="web"}': steady(30 * 86_400),
  'stratum_bridge_alert_tries_total{outcome="delivered"}': rising(1),
  'stratum_bridge_alert_tries_total{outcome="failed"}': steady(0),
  'stratum_bridge_solutions_settled_total{state="lost"}': steady(0),
  'stratum_bridge_solutions_settled_total{state="refused"}': steady(0),
  stratum_bridge_solutions_pending: steady(0),
  stratum_bridge_ledger_up: steady(1),
  stratum_bridge_queue_up: steady(1),
  stratum_bridge_queue_waiting: steady(3),
  stratum_bridge_solutions_unkept: steady(0),
  stratum_bridge_queue_held_back: steady(0),
  stratum_bridge_queue_failed: steady(0),
  'stratum_bridge_timeline_lines_lost_total{why="ledger"}': steady(0),
  'stratum_bridge_timeline_lines_lost_total{why="file"}': steady(0),
  'stratum_bridge_timeline_lines_lost_total{why="flood"}': rising(1),
  stratum_bridge_connections_refused_total: rising(1),
  stratum_bridge_connections_waiting: steady(0),
};

/** By alert: what differs from a bridge that is well. */
export const UNWELL: Readonly<Record<string, Series>> = {
  BridgeDown: { up: turning(1, 0) },
  BridgeRestarts: { process_start_time_seconds: rising(60) },
  NoNode: { 'stratum_bridge_node_healthy{url="http://node:1848"}': turning(1, 0) },
  NodeUnhealthy: { 'stratum_bridge_node_healthy{url="http://other:1848"}': turning(1, 0) },
  NoRigs: { stratum_bridge_sessions: turning(10, 0) },
  RigsLost: { stratum_bridge_sessions: turning(10, 4) },
  NoShares: { 'stratum_bridge_submits_total{outcome="accepted"}': steady(7) },
  NoFreshJob: { stratum_bridge_fresh_job_age_seconds: turning(20, 301) },
  PoolHashRateLow: { stratum_bridge_hashes_per_second: turning(1000, 100) },
  ForkVotesDiffer: { stratum_bridge_fork_votes_differ: turning(0, 1) },
  SlowJobs: { 'stratum_bridge_job_delay_seconds_bucket{clean="true",le="0.1"}': steady(0) },
  StaleWork: { stratum_bridge_stale_work_hashes_total: rising(50) },
  CertificateEnding: {
    'stratum_bridge_certificate_ends_in_seconds{of="web"}': turning(30 * 86_400, 13 * 86_400),
  },
  DiskLow: { stratum_bridge_disk_free_bytes: turning(1e11, 1e9) },
  FewFilesLeft: { process_open_fds: turning(100, 60_000) },
  BlockFound: { 'stratum_bridge_solutions_settled_total{state="received"}': '7x112 8x68' },
  SolutionLost: { 'stratum_bridge_solutions_settled_total{state="lost"}': turning(0, 1) },
  SolutionRefused: { 'stratum_bridge_solutions_settled_total{state="refused"}': turning(0, 1) },
  SolutionsUnanswered: { stratum_bridge_solutions_pending: turning(0, 1) },
  LedgerAway: { stratum_bridge_ledger_up: turning(1, 0) },
  QueueDown: { stratum_bridge_queue_up: turning(1, 0) },
  QueueBehind: { stratum_bridge_queue_waiting: rising(20) },
  SolutionsUnkept: { stratum_bridge_solutions_unkept: turning(0, 1) },
  SharesHeldBack: { stratum_bridge_queue_held_back: turning(0, 5) },
  EntriesUnbooked: { stratum_bridge_queue_failed: turning(0, 1) },
  SlowAnswers: { 'stratum_bridge_submit_answer_seconds_bucket{le="0.1"}': steady(0) },
  NoticesLost: { 'stratum_bridge_alert_tries_total{outcome="failed"}': turning(0, 1) },
  LinesLost: { 'stratum_bridge_timeline_lines_lost_total{why="file"}': turning(0, 7) },
  AcceptRateLow: { 'stratum_bridge_submits_total{outcome="stale"}': rising(6) },
  ConnectionsRefused: { stratum_bridge_connections_refused_total: rising(120) },
  ConnectionsWait: { stratum_bridge_connections_waiting: turning(0, 500) },
};

/** A file for `promtool test rules`: a bridge that is well raises nothing, and each other one its alert. */
export function alertTests(rulesFile: string): string {
  const tests = [
    testOf(WELL, 'count(ALERTS)', []),
    ...Object.entries(UNWELL).map(([alert, unwell]) =>
      testOf({ ...WELL, ...unwell }, `count(ALERTS{alertname="${alert}",alertstate="firing"})`, [
        { labels: '{}', value: 1 },
      ]),
    ),
  ];
  // JSON is YAML too.
  return JSON.stringify({ rule_files: [rulesFile], evaluation_interval: EVALUATED_EVERY, tests });
}

function testOf(series: Series, expr: string, samples: readonly object[]): object {
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: ofBridge(name), values })),
    promql_expr_test: [{ expr, eval_time: LOOKED_AT, exp_samples: samples }],
  };
}

function ofBridge(series: string): string {
  const [, name, labels] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? [];
  return `${name}{${BRIDGE}${labels ? `,${labels}` : ''}}`;
}
