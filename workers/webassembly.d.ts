/** The little of WebAssembly's interface that is used here; neither `lib.es2023` nor Node's types declare it. */
declare namespace WebAssembly {
  /** Throws CompileError for bytes that this machine's engine does not take. */
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Record<string, unknown>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
}
