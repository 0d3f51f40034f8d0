import { Redacted } from "effect"
import { systemRandomness } from "../../../services/Randomness.ts"
import * as Tokens from "../../../services/Tokens.ts"
import { planDefaults, type Policies } from "../../../services/workspaces/Plans.ts"
import type { Settings } from "../../server/settings/Config.ts"
import type { TestProvider } from "./TestProvider.ts"
import type { SheafOptions } from "./TestRun.ts"

const untimed = { invitations_per_hour: 0, invitations_per_day: 0 }

/** The limits of plans, without limits per hour and day, because the test clock does not move by itself. */
export const planLimits: Policies["limits"] = {
  free: { ...planDefaults.free, ...untimed },
  plus: { ...planDefaults.plus, ...untimed },
  team: { ...planDefaults.team, ...untimed }
}

/** The policies of an instance in a test: any person may register, and owners change plans. */
export const policies: Policies = { signUp: "open", planChanges: "owner", limits: planLimits, ownedWorkspaces: 10 }

const testSettings = (dataDir: string): Settings => ({
  port: 0,
  host: "127.0.0.1",
  // The port is replaced by the one that is open.
  publicUrl: "http://127.0.0.1:0",
  dataDir,
  databaseUrl: undefined,
  secretKey: Redacted.make(new Uint8Array(32).fill(7)),
  secretKeyPrevious: undefined,
  streamsPerCredential: 10,
  searchMemory: 256 * 1024 * 1024,
  bootstrapEmail: "owner@sheaf.test",
  bootstrapApiKey: Tokens.make(systemRandomness, "sfk"),
  bootstrapPassword: undefined,
  redisUrl: undefined,
  s3Access: undefined,
  s3: undefined,
  backupTo: undefined,
  auditLog: undefined,
  backupRecipients: [],
  backupEvery: undefined,
  backupKeep: 7,
  backupVerifyEvery: undefined,
  smtpUrl: undefined,
  mailFrom: undefined,
  policies,
  providers: [],
  linkByEmail: false,
  passwordSignIn: true,
  operatorSecondFactorFrom: Infinity,
  trustedProxies: [],
  webhookAllow: [],
  // Off, because the test clock does not move by itself and the window would never end.
  rateLimit: 0,
  // The lowest cost: tests do not need expensive password hashes.
  passwordCost: 4,
  breachedPasswords: undefined,
  shutdownDelay: 0,
  workers: 1,
  metricsToken: undefined,
  otlp: undefined,
  alarms: { webhook: undefined, releases: undefined },
  logLevel: "error",
  logFormat: "json",
  // The faults of a temporary database are of no interest.
  keyRequests: true,
  dailyChecks: false,
  quiet: true
})

/** The settings of an instance. Throws a TypeError for a name that is none, such as one that is misspelt. */
export const settingsOf = (
  dataDir: string,
  { databaseOf, fixture, settings = {} }: Pick<SheafOptions, "databaseOf" | "fixture" | "settings">,
  { key, provider }: { readonly key: string | undefined; readonly provider: TestProvider | undefined }
): Settings => {
  const defaults = testSettings(dataDir)
  if (provider !== undefined && settings.providers !== undefined) {
    throw new TypeError("the option provider and the setting providers exclude each other")
  }
  if (databaseOf !== undefined && fixture !== undefined) {
    throw new TypeError("the options databaseOf and fixture exclude each other")
  }
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(defaults, name))
  if (unknown.length > 0) throw new TypeError(`there is no setting ${unknown.join(", ")}`)
  return {
    ...defaults,
    ...(key === undefined ? {} : { bootstrapApiKey: Redacted.make(key) }),
    ...(provider === undefined ? {} : { providers: [provider.settings()] }),
    ...settings,
    policies: { ...defaults.policies, ...settings.policies }
  }
}
