import { Effect, Redacted, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { isEmail } from "../../../../services/Email.ts"
import type { AccountChanges } from "../../../../services/identity/operators/AccountChanges.ts"
import { FactorResets } from "../../../../services/identity/operators/FactorResets.ts"
import { type ListedUser, Operator } from "../../../../services/identity/operators/Operator.ts"
import { IdentityLinks } from "../../../../services/oidc/IdentityLinks.ts"
import { load } from "../../../server/settings/Config.ts"
import { plans } from "../../../../services/Principal.ts"
import * as Text from "../../../../services/Text.ts"
import { confirm, yes } from "../Confirmation.ts"
import { action, command, group } from "../OperatorCommand.ts"
import * as Output from "../Output.ts"
import { type NewSecret, newPassword, passwordStdin } from "../SecretInput.ts"
import { onDatabase } from "../CommandServices.ts"
import { Refused } from "../Refused.ts"

export const email = Argument.String("email").pipe(
  Argument.filter(isEmail, () => "Expected an e-mail address"),
  Argument.withDescription("The e-mail address of the user")
)

export const isName = Schema.is(Text.notBlank(100))

const name = (description: string) =>
  Flag.String("name").pipe(
    Flag.filter(isName, () => "Expected a line of 1 to 100 characters"),
    Flag.withDescription(description),
    Flag.withDefault(undefined)
  )

const withPassword = <A extends object>(result: A, { isMade, password }: NewSecret) =>
  isMade
    ? Output.show({ ...result, password: Redacted.value(password) }, "The password is shown only once.")
    : Output.show(result)

const list = command("list", {
  description: "List all users",
  examples: [["sheaf user list --json", "List all users as JSON"]],
  input: {},
  run: () =>
    onDatabase(
      Effect.flatMap(Operator, (operator) =>
        Output.list(
          ["id", "email", "name", "operator", "suspended_at", "has_password", "last_active_at", "created_at"],
          (last: ListedUser | undefined) => operator.users(last?.id ?? "")
        )
      )
    )
})

const add = command("add", {
  description: "Create a user with a personal workspace",
  examples: [
    ["sheaf user add anna@example.org", "Prompt for the password, or generate one"],
    ["sheaf user add anna@example.org --password-stdin < password.txt", "Read the password from a file"]
  ],
  input: {
    email,
    name: name("The name that other users see; default: the part of the address before the @"),
    plan: Flag.Literals("plan", plans).pipe(
      Flag.withDefault("free"),
      Flag.withDescription("The plan of the personal workspace")
    ),
    passwordStdin
  },
  run: Effect.fnUntraced(function* ({ email, name, passwordStdin, plan }) {
    const secret = yield* newPassword(passwordStdin)
    const user = yield* onDatabase(
      Effect.flatMap(Operator, (operator) =>
        operator.addUser({ email, name, password: Redacted.value(secret.password), plan })
      )
    )
    yield* withPassword(user, secret)
  })
})

const password = command("password", {
  description: "Set the password of a user and end all their sessions; their API keys stay",
  examples: [["sheaf user password anna@example.org", "Prompt for the password, or generate one"]],
  input: { email, passwordStdin },
  run: Effect.fnUntraced(function* ({ email, passwordStdin }) {
    const secret = yield* newPassword(passwordStdin)
    const user = yield* onDatabase(
      Effect.flatMap(Operator, (operator) => operator.setPassword(email, Redacted.value(secret.password)))
    )
    yield* withPassword(user, secret)
  })
})

const link = command("link", {
  description: "Print a link by which a user connects a provider, and signs in by it; it works once, within an hour",
  examples: [["sheaf user link anna@example.org", "Give a user a way in, also while passwords are switched off"]],
  input: { email },
  run: Effect.fnUntraced(function* ({ email }) {
    const { providers, publicUrl } = yield* load
    if (providers.length === 0) return yield* new Refused({ message: "No provider is set: OIDC_ISSUER" })
    const made = yield* onDatabase(Effect.flatMap(IdentityLinks, (links) => links.make(email)))
    const query = new URLSearchParams({ link: Redacted.value(made.token) })
    yield* Output.show({
      email: made.email,
      expires_at: made.expires_at,
      links: providers.map(({ number }) => `${publicUrl}/sign-in/${number}?${query}`)
    })
  })
})

const resetFactors = command("reset-factors", {
  description: "Remove all second factors and recovery codes of a user, who gets a mail; sessions stay",
  examples: [
    ["sheaf user reset-factors anna@example.org", "Let a user in who has lost the phone and the recovery codes"]
  ],
  input: { email },
  run: Effect.fnUntraced(function* ({ email }) {
    yield* Output.show(yield* onDatabase(Effect.flatMap(FactorResets, (resets) => resets.reset(email))))
  })
})

const rename = command("rename", {
  description: "Change the e-mail address or the name of a user; sessions and API keys stay",
  examples: [["sheaf user rename anna@example.org --email anna@example.net", "Change the address"]],
  input: {
    email,
    to: Flag.String("email").pipe(
      Flag.filter(isEmail, () => "Expected an e-mail address"),
      Flag.withDescription("The new e-mail address, which counts as confirmed"),
      Flag.withDefault(undefined)
    ),
    name: name("The new name")
  },
  run: Effect.fnUntraced(function* ({ email, name, to }) {
    if (to === undefined && name === undefined) {
      return yield* new Refused({ message: "Nothing to change: give --email, --name, or both" })
    }
    yield* Output.show(
      yield* onDatabase(Effect.flatMap(Operator, (operator) => operator.updateUser(email, { email: to, name })))
    )
  })
})

const change = (name: string, description: string, to: AccountChanges, remark?: string) =>
  action(name, {
    description,
    examples: [[`sheaf user ${name} anna@example.org`, description]],
    input: { email },
    run: ({ email }) => Effect.flatMap(Operator, (operator) => operator.updateUser(email, to)),
    remark
  })

const changes = [
  change("make-operator", "Let a user administer the server, in the console and by the API", { operator: true }),
  change("end-operator", "End the right of a user to administer the server", { operator: false }),
  change(
    "suspend",
    "Refuse all credentials of a user, and end their sessions; nothing of the user is deleted",
    { suspended: true },
    "To undo it: sheaf user resume EMAIL"
  ),
  change("resume", "Accept the password and the API keys of a suspended user again", { suspended: false })
] as const

const warning = "Their keys and sessions end, and they cannot be restored"

const remove = command("delete", {
  description: `Delete a user. ${warning}; workspaces without other members are deleted, and can be restored for 30 days`,
  examples: [["sheaf user delete anna@example.org", "Delete a user, after a confirmation"]],
  input: { email, yes },
  run: Effect.fnUntraced(function* ({ email, yes }) {
    if (!yes) yield* confirm(`Delete ${email}? ${warning}.`)
    const { deleted, left, user } = yield* onDatabase(
      Effect.flatMap(Operator, (operator) => operator.deleteUser(email))
    )
    const names = (places: typeof deleted) => places.map(({ name, slug }) => `${name} (${slug})`)
    if (yield* Output.Json) return yield* Output.show({ ...user, deleted, left })
    yield* Output.show(
      {
        ...user,
        "deleted workspaces": names(deleted),
        ...(left.length === 0 ? {} : { "workspaces of other members": names(left) })
      },
      "The user cannot be restored. A deleted workspace can be restored for 30 days, with another owner:",
      "  sheaf workspace restore SLUG --owner EMAIL"
    )
  })
})

export const user = group("user", "Users", [list, add, password, link, resetFactors, rename, ...changes, remove])
