/** Returns the root cause of an error. Errors of libraries often describe only where it was noticed. */
export const rootOf = (error: { readonly cause?: unknown }): Error =>
  error.cause instanceof Error ? rootOf(error.cause) : (error as Error)
