/** What went wrong first: errors of libraries often say only where it was noticed. */
export const rootOf = (error: { readonly cause?: unknown }): Error =>
  error.cause instanceof Error ? rootOf(error.cause) : (error as Error)
