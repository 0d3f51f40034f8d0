import { expect } from "vitest"
import type { Team } from "../people/Team.ts"
import type { TestApp } from "../TestApp.ts"
import type { Call } from "./Operation.ts"
import { openOperations, operations } from "./Operations.ts"

/** Sends each operation of the API once, except the stream, with a credential that it accepts. Calls `sent` after each. */
export const sendEach = async (
  app: TestApp,
  team: Team,
  sent: (call: Call) => Promise<unknown> = async () => undefined
): Promise<void> => {
  const operator = await team.operator("session")
  for (const [id, { prepare, scopes, status }] of Object.entries(operations)) {
    const caller = scopes.some((scope) => scope.startsWith("admin:")) ? operator : team.owner
    if (id === "streamChanges") continue
    const call = await prepare(team, caller, true)
    const answer = await app.call(call.method, call.path, call.body, call.headers ?? caller.headers)
    expect([id, answer.status]).toEqual([id, typeof status === "number" ? status : status(caller)])
    await sent(call)
  }
  for (const [id, { prepare, status }] of Object.entries(openOperations)) {
    const { body, method, path } = await prepare(team)
    expect([id, (await app.call(method, path, body, { authorization: "" })).status]).toEqual([id, status])
  }
}
