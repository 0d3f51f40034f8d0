import { describe } from "vitest"
import { testAdapter } from "../support/adapters/AdapterRules.ts"
import { startTanStackDevice } from "../support/adapters/TanStackDevice.ts"

describe("a collection of TanStack DB", () => {
  testAdapter(startTanStackDevice)
})
