/** Problems of a call whose session has ended. */
export const endedSession = ["authentication_required", "invalid_token", "token_expired", "token_reused"] as const
