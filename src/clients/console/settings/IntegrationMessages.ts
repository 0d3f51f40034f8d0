import type { ProblemCode, Schemas } from "../../client/SheafClient.ts"

type Sentences = Partial<Record<ProblemCode, string>>

/** The texts of API keys and webhooks. */
export const integrationTexts = {
  keys: {
    title: "Keys",
    lead: "Programs use the API with a key. A key has the role of the user who made it.",
    create: "New key",
    nameHint: "What uses it, such as “Backup script”",
    scopes: "It may",
    scopeNames: {
      "notes:read": "read notes",
      "notes:write": "write notes",
      "files:read": "read files",
      "files:write": "write files",
      "export:read": "read exports",
      "export:write": "make exports",
      "members:read": "read members",
      "members:write": "change members",
      "keys:read": "read keys",
      "keys:write": "make keys",
      "webhooks:read": "read webhooks",
      "webhooks:write": "change webhooks",
      "audit:read": "read the audit log",
      profile: "read the profile"
    },
    noScope: "Choose at least one.",
    expires: "Ends (optional)",
    secret: (name: string) => `Secret of “${name}”`,
    secretHint: "It is shown only now. Keep it like a password.",
    begins: "Begins with",
    none: "There are no keys.",
    rotate: "New secret",
    rotateOf: (name: string) => `New secret for ${name}`,
    rotated: (until: string) => `The secret before works until ${until}.`,
    revoke: "Revoke…",
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeConfirm: "Programs that use the key are refused at once.",
    revokeButton: "Revoke the key",
    isEnded: "ended",
    problems: {
      not_found: "Only the user who made a key can give it a new secret.",
      forbidden: "Only the user who made a key can give it a new secret."
    } satisfies Sentences
  },

  reach: {
    title: "It reaches",
    limited: "All else is hidden from it."
  },

  apps: {
    lead: "Assistants and programs that act for you, each in one workspace. They never know your password.",
    none: "You have connected no app.",
    name: "App",
    left: "a workspace that you have left",
    may: "It may",
    end: "Disconnect…",
    endOf: (name: string) => `Disconnect ${name}`,
    endConfirm: "It is refused at once. What it has written stays.",
    endButton: "Disconnect",
    connect: "Connect an app",
    connectLead:
      "Enter this address in your assistant, as a connector or an MCP server. It sends you to this page, where you allow it.",
    ask: (name: string) => `Allow ${name}?`,
    account: (email: string) => `It asks for access with your account ${email}.`,
    knownByDocument: (host: string) => `It describes itself at ${host}.`,
    knownBy: {
      registration: "The name is what the app says of itself: anyone can choose it.",
      operator: "The operator of this server knows it."
    },
    goesTo: (host: string) => `Your browser goes to ${host}, which gets the access.`,
    local: (place: string) =>
      `Your browser goes to a program on this device (${place}), which gets the access. Allow it only if you have just started to connect it.`,
    shares: "It may also publish notes by share links, which anyone can open who has them.",
    never: "It cannot change your account, make keys, export the workspace or invite people.",
    refuse: "Refuse",
    allow: "Allow",
    problems: {
      validation_failed: "The app has sent a request that is not valid. Start again there."
    } satisfies Sentences
  },

  webhooks: {
    title: "In this workspace",
    lead: "The server sends events of this workspace to these addresses, signed by Standard Webhooks.",
    none: "There are no webhooks.",
    create: "New webhook",
    urlHint: "An https address of a public host",
    events: "Events",
    all: "All events, also those of later versions",
    allOf: (resource: string) => `All of ${resource}.*`,
    single: (resource: string) => `Events of ${resource}`,
    submit: "Add the webhook",
    save: "Save the webhook",
    active: "active",
    paused: "paused",
    reasons: {
      gone: "Paused: the address responded that it is gone.",
      failing: "Paused: all deliveries failed for five days.",
      creator_left: "Paused: the user who made it has left.",
      key_ended: "Paused: the API key that made it has ended."
    } satisfies Record<NonNullable<Schemas["Webhook"]["disabled_reason"]>, string>,
    used: "Last accepted",
    back: "All webhooks",
    secret: "Secret for signatures",
    secretHint: "It is shown only now. The receiver needs it to check signatures.",
    rotate: "New secret",
    rotated: (until: string) => `Deliveries are also signed with the secret before, until ${until}.`,
    pause: "Pause",
    resume: "Continue",
    test: "Send a test",
    removeTitle: "Delete the webhook",
    removeConfirm: "No more events are sent to this address. Its deliveries are deleted too.",
    settings: "Address and events"
  },

  deliveries: {
    title: "Deliveries",
    lead: "Each attempt to send an event, the newest first. They are kept for 30 days.",
    shown: { all: "All", failed: "Failed", succeeded: "Succeeded", pending: "Pending" },
    none: "There are no deliveries.",
    event: "Event",
    attempt: "Attempt",
    statuses: { pending: "pending", succeeded: "succeeded", failed: "failed" },
    latency: "Duration",
    milliseconds: (count: number) => `${count} ms`,
    aboutOf: (type: string, attempt: number) => `attempt ${attempt} of ${type}`,
    error: "Why it failed",
    request: "Request",
    response: "Response",
    noRequest: "Not sent yet.",
    noResponse: "There was no response.",
    headers: "Headers",
    body: "Body",
    erased: "The content was erased.",
    resendOf: (type: string, attempt: number) => `Send again: attempt ${attempt} of ${type}`,
    succeeded: (code: number | null) => `The receiver has accepted it (${code}).`,
    failed: (reason: string) => `It has failed: ${reason}`,
    waiting: "It is sent as soon as possible."
  }
}
