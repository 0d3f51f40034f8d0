import { Effect, Redacted, Schema } from "effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { firstRange } from "../../../services/identity/BreachedPasswords.ts"
import { isOwnName } from "../../../services/identity/GuessedPasswords.ts"
import { NewPassword } from "../../../services/identity/User.ts"
import { secretVariable, variable, Wrong } from "./Variables.ts"

const isPassword = Schema.is(NewPassword)

/** The name of the first user, until the user changes it. */
export const firstUserName = "Owner"

/** The password of the first user, with the rules of all passwords. */
export const bootstrapPassword = Effect.fnUntraced(function* (email: string) {
  const easy = new Wrong("is easily guessed: choose another password")
  return yield* secretVariable("BOOTSTRAP_PASSWORD", "a password of 10 to 200 characters", (text) => {
    const length = [...text].length
    if (length < 10 || length > 200) return undefined
    return isPassword(text) && !isOwnName(text, { email, name: firstUserName }) ? Redacted.make(text) : easy
  })
})

/** The folder with the hashes of breached passwords. */
export const breachedPasswords = variable(
  "BREACHED_PASSWORDS",
  "a folder with ranges of hashes: 00000.txt and so on",
  (text) => (existsSync(firstRange(text)) ? resolve(text) : undefined)
)
