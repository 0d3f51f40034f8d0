import { Context, Layer } from "effect"

/** Whether requests can be served: `/readyz` and the listener speak of it while the rest starts or stops. */
export class Readiness extends Context.Service<Readiness, { state: "starting" | "ready" | "draining" }>()(
  "sheaf/http/server/Readiness"
) {
  static readonly layer = Layer.sync(Readiness, () => ({ state: "starting" as const }))
}
