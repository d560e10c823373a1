/** There is none, or it is not known. */
export const NONE = <span class="none">–</span>;
