import { Effect } from "effect"
import { ProviderSignIns } from "../../../services/oidc/ProviderSignIns.ts"
import type { ProviderUser, TestProvider } from "./TestProvider.ts"

/** The user's browser, on this machine. */
const origin = { ip: null, user_agent: null }

/** Plays the user's part: begins a sign-in by the first provider, signs in there, and returns to the server with the code. */
export const signInBy = Effect.fnUntraced(function* (provider: TestProvider, user: ProviderUser) {
  const signIns = yield* ProviderSignIns
  const { cookie, redirect_url } = yield* signIns.begin(1, { kind: "sign-in", device: { name: "Browser" } }, origin)
  const back = new URL(provider.authorize(redirect_url, user))
  const done = yield* signIns.complete(1, back.searchParams, cookie, origin)
  return done.kind === "signed-in" ? done.session : yield* Effect.die(new Error("no session was made"))
})
