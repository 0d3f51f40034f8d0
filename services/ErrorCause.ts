/** Returns the root cause of an error. Errors of libraries often describe only where it was noticed. */
export const rootOf = (error: { readonly cause?: unknown }): Error =>
  error.cause instanceof Error ? rootOf(error.cause) : (error as Error)

/** The message of an error for an operator: its detail, if it has one, else the message of its root cause. */
export const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "detail" in error && typeof error.detail === "string"
    ? error.detail
    : error instanceof Error
      ? rootOf(error).message
      : String(error)
