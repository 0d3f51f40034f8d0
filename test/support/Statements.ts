import { Effect } from "effect"
import { Database } from "../../services/database/Database.ts"
import type { TestApp } from "./TestApp.ts"

/** Runs `work` and returns its result with the SQL statements that match `about`, and the parameters of each. */
export const statementsOf = async <A>(
  app: TestApp,
  about: RegExp,
  work: () => Promise<A>
): Promise<{
  readonly statements: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<unknown>
  readonly answer: A
}> => {
  const { whole, write } = await app.run(Effect.service(Database))
  const clients: ReadonlyArray<any> = [whole, write]
  const originals = clients.map(({ unsafe }) => unsafe)
  const statements: Array<string> = []
  const parameters: Array<unknown> = []
  for (const [index, client] of clients.entries()) {
    client.unsafe = (text: string, ...rest: ReadonlyArray<unknown>) => {
      if (about.test(text)) {
        statements.push(text)
        parameters.push(rest[0] ?? [])
      }
      return originals[index](text, ...rest)
    }
  }
  try {
    return { answer: await work(), statements, parameters }
  } finally {
    for (const [index, client] of clients.entries()) client.unsafe = originals[index]
  }
}

/** Runs an effect before the statement of a pool that matches for the `nth` time. */
export const beforeStatement = async (
  app: TestApp,
  pool: "whole" | "write",
  about: RegExp,
  effect: Effect.Effect<unknown>,
  nth = 1
): Promise<void> => {
  const clients: Readonly<Record<string, any>> = await app.run(Effect.service(Database))
  const client = clients[pool]
  const { unsafe } = client
  let seen = 0
  client.unsafe = (text: string, ...rest: ReadonlyArray<unknown>) => {
    if (!about.test(text) || ++seen !== nth) return unsafe(text, ...rest)
    client.unsafe = unsafe
    return Effect.andThen(effect, unsafe(text, ...rest))
  }
}
