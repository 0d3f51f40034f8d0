import { Context, Layer } from "effect"

/** Whether requests can be served, for `/readyz` and the listener while the other services start or stop. */
export class Readiness extends Context.Service<Readiness, { state: "starting" | "ready" | "draining" }>()(
  "sheaf/http/server/Readiness"
) {
  static readonly layer = Layer.sync(Readiness, () => ({ state: "starting" as const }))
}
