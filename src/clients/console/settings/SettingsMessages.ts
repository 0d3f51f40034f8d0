import { translated } from "../ChosenLanguage.ts"
import type { ProblemCode } from "../../client/SheafClient.ts"
import { dataTexts } from "./DataMessages.ts"
import { integrationTexts } from "./IntegrationMessages.ts"

type Sentences = Partial<Record<ProblemCode, string>>

/** All texts of the settings. They are loaded with the settings. */
export const texts = translated("settings", {
  ...integrationTexts,
  ...dataTexts,
  navigation: "Settings",
  sections: { own: "You", workspace: "Workspace" },
  pages: {
    account: "Account",
    sessions: "Sessions and devices",
    apps: "Connected apps",
    workspace: "Workspace",
    people: "People",
    keys: "API keys",
    folder: "Folder",
    webhooks: "Webhooks",
    transfers: "Imports and exports",
    usage: "Usage",
    audit: "Audit log"
  },
  notAllowed: "Your role in this workspace does not allow this page.",
  currentPassword: "Current password",
  unknown: "unknown",
  ends: "Ends",
  remove: "Remove…",

  account: {
    profile: "Profile",
    language: "Language",
    languageHint: "The console and your mails use it. The page is loaded again.",
    timezone: "Time zone",
    timezoneHint: "Times in your mails and templates use it.",
    securityMails: "Send me mails about sign-ins, password changes, new API keys and webhooks",
    save: "Save the profile",
    emailHint: "A link to confirm it is sent to the new address, and a notice to the old one.",
    newEmail: "New address",
    changeEmail: "Change the address",
    emailChanged: "The address is changed. Confirm it with the link in the mail.",
    passwordHint: "All other sessions end.",
    newPassword: "New password",
    changePassword: "Change the password",
    passwordChanged: "The password is changed.",
    identities: "Sign-in by a provider",
    identitiesLead: "You sign in by a connected provider, without the password.",
    connect: (name: string) => `Connect ${name}`,
    disconnect: "Disconnect…",
    disconnectOf: (name: string) => `Disconnect ${name}`,
    disconnectConfirm: "It does not sign you in any more. Your sessions stay.",
    disconnectButton: "Disconnect",
    noIdentity: "No provider is connected.",
    provider: "Provider",
    lastUsed: "Last sign-in",
    disconnectProblems: {
      invalid_state:
        "This is your last way to sign in. Set a password by “Forgot the password?”, or connect another provider first."
    } satisfies Sentences,
    end: "Delete the account",
    endHint:
      "Workspaces that have no other members are deleted with their notes, and your memberships end. Export what you need before.",
    endAction: "Delete my account…",
    endConfirm: "Your account, your sessions, your API keys and the workspaces that only you use are deleted.",
    endButton: "Delete my account",
    lastOwner: (names: ReadonlyArray<string>) =>
      `You are the last owner of ${names.join(", ")}. Make another member an owner, or delete the workspace.`
  },

  sessions: {
    lead: "Places where you are signed in.",
    device: "Device",
    unnamed: "Device without a name",
    current: "this one",
    since: "Signed in",
    by: "Signed in by",
    ways: { password: "password", passkey: "passkey", provider: "provider" },
    factors: { totp: "authenticator app", passkey: "passkey", recovery_code: "recovery code" },
    none: "There are no sessions.",
    end: "End…",
    endOf: (name: string) => `End the session on ${name}`,
    endConfirm: (name: string) => `${name} is signed out at once. Text that it has not saved stays on it.`,
    endButton: "End the session",
    endOthers: "End all other sessions…",
    endOthersTitle: "End all other sessions",
    endOthersConfirm: "All devices except this one are signed out at once.",
    devices: "Devices that sync",
    devicesLead: "Apps of yours that keep a copy of your notes.",
    synced: "Last synced",
    noDevices: "No app keeps a copy of your notes.",
    removeOf: (name: string) => `Remove ${name}`,
    removeConfirm: (name: string) => `${name} gets no more changes, and its session ends.`
  },

  workspace: {
    settings: "Name and plan",
    slug: "Short name in addresses",
    slugHint: "Lower-case letters, digits and hyphens",
    save: "Save the workspace",
    readOnly: (plan: string, seats: number) => `${plan}, ${seats === 1 ? "1 seat" : `${seats} seats`}`,
    problems: {
      already_exists: "Another workspace has this short name.",
      insufficient_role: "Your role does not allow this, or the operator of the server sets plan and seats."
    } satisfies Sentences,
    factors: {
      title: "Second factors of members",
      lead: "From a date on, the notes of this workspace open only to sessions and apps whose user has signed in with two factors: an authenticator app besides the password, a passkey, or a provider. API keys need none.",
      isOn: "Members need a second factor",
      from: "From",
      save: "Save the rule"
    },
    offline: {
      title: "On this device",
      hint: "Notes on this device can be read and searched without a network. Text that you write is sent later in any case. Signing out removes the notes from this device.",
      nothing: "No notes",
      all: "The notes of all notebooks",
      chosen: "The notes of chosen notebooks",
      notebooks: "Notebooks on this device",
      inner: "Notebooks inside of them go with them.",
      state: (notes: number, isWhole: boolean) =>
        `${notes === 1 ? "1 note is" : `${notes} notes are`} on this device${isWhole ? "." : ", more are coming."}`,
      unstored: "This browser has no room for the notes, or does not allow to store them."
    },
    all: "Your workspaces",
    isOpen: "open now",
    none: "You have no workspace.",
    createTitle: "New workspace",
    create: "Create the workspace",
    created: (name: string) => `“${name}” is created.`,
    leave: "Leave the workspace",
    leaveHint: "Your API keys and links in it end. Only an invitation brings you back.",
    leaveAction: "Leave…",
    leaveConfirm: (name: string) => `You lose access to “${name}” at once.`,
    deleteHint: "All members lose access at once. The operator can restore it within 30 days.",
    deleteConfirm: (slug: string) => `All notes, members, API keys and webhooks are deleted. Type ${slug} to confirm.`,
    deleteField: "Short name of the workspace",
    deleteMismatch: "This is not the short name.",
    personal: "This is your personal workspace. It ends with your account."
  },

  people: {
    person: "Person",
    role: "Role",
    roleOf: (name: string) => `Role of ${name}`,
    roles: { owner: "Owner", admin: "Admin", editor: "Editor", viewer: "Viewer" },
    rolesHint: [
      ["Viewer", "reads notes"],
      ["Editor", "writes notes, and makes API keys"],
      ["Admin", "also manages people, webhooks and the audit log"],
      ["Owner", "also changes the plan, and deletes the workspace"]
    ] as ReadonlyArray<readonly [role: string, meaning: string]>,
    you: "you",
    since: "Member since",
    noMembers: "There are no members.",
    roleChanged: (name: string, role: string) => `${name} has the role ${role} now.`,
    removeOf: (name: string) => `Remove ${name}`,
    removeConfirm: (name: string) =>
      `${name} loses access at once. Their API keys and links in this workspace end, and their webhooks are paused. Their notes stay.`,
    removeButton: "Remove",
    problems: { last_owner: "A workspace needs an owner." } satisfies Sentences,
    invite: "Invite a person",
    send: "Send the invitation",
    sent: (email: string) => `The invitation to ${email} is sent.`,
    linkHint: "This server sends no mail. Pass the link on yourself: it is shown only now.",
    inviteProblems: { already_exists: "This person is a member, or is invited already." } satisfies Sentences,
    invitations: "Invitations",
    statuses: { pending: "open", accepted: "accepted", expired: "expired" },
    by: "Invited by",
    noInvitations: "There are no invitations.",
    revoke: "Revoke…",
    revokeOf: (email: string) => `Revoke the invitation to ${email}`,
    revokeConfirm: "The link does not work any more.",
    revokeButton: "Revoke"
  }
})
