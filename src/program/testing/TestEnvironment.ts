import { Effect } from "effect"
import { existsSync } from "node:fs"
import type { Policies } from "../../../services/workspaces/Plans.ts"
import { ConfigError, load, type Settings, VariableReader } from "../../server/settings/Config.ts"
import { variable } from "../../server/settings/Variables.ts"
import { policies } from "./TestSettings.ts"

/** Variables by which a server would use real data, or send real mail. */
const ofRealData = /^(DATABASE_URL|DATA_DIR|REDIS_URL|S3_.*|SMTP_URL|BACKUP_.*|SECRET_KEY(_PREVIOUS)?)$/

/** The variables that a server for tests takes, each with its setting. It does not use the others. */
const taken: ReadonlyArray<readonly [variable: string, setting: keyof Settings]> = [
  ["PORT", "port"],
  ["PUBLIC_URL", "publicUrl"],
  ["RATE_LIMIT", "rateLimit"],
  ["WEBHOOK_ALLOW", "webhookAllow"],
  ["LOG_LEVEL", "logLevel"],
  ["LOG_FORMAT", "logFormat"],
  ["BOOTSTRAP_EMAIL", "bootstrapEmail"],
  ["BOOTSTRAP_PASSWORD", "bootstrapPassword"],
  ["BOOTSTRAP_API_KEY", "bootstrapApiKey"]
]

/** Those among them that are policies. Limits that PLAN_LIMITS does not name are then those of the plans. */
const takenPolicies: ReadonlyArray<readonly [variable: string, policy: keyof Policies]> = [
  ["SIGN_UP", "signUp"],
  ["SIGN_UP", "ownedWorkspaces"],
  ["PLAN_CHANGES", "planChanges"],
  ["PLAN_LIMITS", "limits"]
]

/** The members whose variable is set. */
const pick = <A extends object>(
  from: A,
  members: ReadonlyArray<readonly [variable: string, member: keyof A]>,
  isSet: ReadonlySet<string>
): Partial<A> => {
  const picked: Partial<A> = {}
  for (const [variable, member] of members) if (isSet.has(variable)) picked[member] = from[member]
  return picked
}

/** The options of a server for tests by its environment. Fails if the environment names real data. */
export const fromEnvironment = Effect.gen(function* () {
  const isSet = new Set<string>()
  const loaded = yield* load.pipe(
    Effect.provideService(VariableReader, ({ name, value }) => void (value !== undefined && isSet.add(name))),
    Effect.result
  )
  // Checked first, because real data may also be named wrongly.
  const real = [...isSet].filter((name) => ofRealData.test(name))
  if (real.length > 0) {
    return yield* new ConfigError({ message: `serve --test uses temporary data: unset ${real.join(", ")}` })
  }
  const all = yield* Effect.fromResult(loaded)
  const fixture = yield* variable("FIXTURE", "a file that this user may read", (file) =>
    existsSync(file) ? file : undefined
  )
  const settings = {
    ...pick(all, taken, isSet),
    policies: { ...policies, ...pick(all.policies, takenPolicies, isSet) }
  }
  return { settings, ...(fixture === undefined ? {} : { fixture }) }
})
