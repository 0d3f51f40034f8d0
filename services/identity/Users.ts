import { Context, Effect, Layer } from "effect"
import * as Ids from "../Ids.ts"
import { Database } from "../storage/Database.ts"
import { traced } from "../Traced.ts"

export interface NewUser {
  readonly email: string
  readonly name: string
  readonly locale: string
  readonly timezone: string
  readonly now: number
}

/** People. E-mail addresses are compared without regard to case. */
export class Users extends Context.Service<Users, {
  readonly create: (user: NewUser) => Effect.Effect<string>
}>()("sheaf/identity/Users") {
  static readonly layer = Layer.effect(
    Users,
    Effect.gen(function*() {
      const { write: sql } = yield* Database
      return Users.of({
        create: traced("Users.create")(function*(user: NewUser) {
          const id = Ids.make("us", user.now)
          yield* Effect.orDie(
            sql`INSERT INTO users (id, email, email_key, name, locale, timezone, created_at)
            VALUES (${id}, ${user.email}, ${user.email.normalize("NFC").toLowerCase()}, ${user.name}, ${user.locale},
              ${user.timezone}, ${new Date(user.now).toISOString()})`
          )
          return id
        })
      })
    })
  )
}
