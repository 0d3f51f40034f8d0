import { Effect, Layer } from "effect"
import { join } from "node:path"
import * as eventRights from "../../services/activity/Event.ts"
import { CheckRuns } from "../../services/admin/CheckRuns.ts"
import { Nodes } from "../../services/admin/Nodes.ts"
import { OperatorAudit } from "../../services/admin/OperatorAudit.ts"
import * as ServerAlarms from "../../services/admin/ServerAlarms.ts"
import { ServerBackups } from "../../services/admin/ServerBackups.ts"
import { ServerMails } from "../../services/admin/ServerMails.ts"
import { ServerState } from "../../services/admin/ServerState.ts"
import { OperatorProof } from "../../services/admin/OperatorProof.ts"
import { ServerUsers } from "../../services/admin/ServerUsers.ts"
import { ServerWorkspaces } from "../../services/admin/ServerWorkspaces.ts"
import { AuditExport } from "../../services/activity/audit/AuditExport.ts"
import { AuditLog } from "../../services/activity/AuditLog.ts"
import { Events } from "../../services/activity/Events.ts"
import { KeyRequests } from "../../services/activity/KeyRequests.ts"
import { NoteActivities } from "../../services/activity/NoteActivities.ts"
import { RefusedCalls } from "../../services/activity/RefusedCalls.ts"
import { UsageCounters } from "../../services/activity/UsageCounters.ts"
import { Usages } from "../../services/activity/Usages.ts"
import { BackgroundWork } from "../../services/concurrency/BackgroundWork.ts"
import { BackupSchedule, type Options as BackupOptions } from "../../services/backup/BackupSchedule.ts"
import { RestoreDrills } from "../../services/backup/RestoreDrills.ts"
import { AccountDeletions } from "../../services/identity/AccountDeletions.ts"
import { Accounts } from "../../services/identity/Accounts.ts"
import { ApiKeys } from "../../services/identity/ApiKeys.ts"
import { Confirmations } from "../../services/identity/Confirmations.ts"
import { Credentials } from "../../services/identity/Credentials.ts"
import { CodeAttempts } from "../../services/identity/factors/CodeAttempts.ts"
import { Factors } from "../../services/identity/factors/Factors.ts"
import { Passkeys } from "../../services/identity/factors/Passkeys.ts"
import { PasskeySignIn } from "../../services/identity/factors/PasskeySignIn.ts"
import { FactorResets } from "../../services/identity/operators/FactorResets.ts"
import { Operator } from "../../services/identity/operators/Operator.ts"
import { Passwords } from "../../services/identity/Passwords.ts"
import { PasswordSignIn } from "../../services/identity/PasswordSignIn.ts"
import { Reauthentication } from "../../services/identity/Reauthentication.ts"
import { Recovery } from "../../services/identity/Recovery.ts"
import { Registrations } from "../../services/identity/registrations/Registrations.ts"
import { SecurityMails } from "../../services/identity/SecurityMails.ts"
import { Sessions } from "../../services/identity/Sessions.ts"
import { SetupLinks } from "../../services/identity/registrations/SetupLinks.ts"
import { Users } from "../../services/identity/Users.ts"
import { AppTokens } from "../../services/oauth/AppTokens.ts"
import { Authorizations } from "../../services/oauth/Authorizations.ts"
import { ClientDocuments } from "../../services/oauth/ClientDocuments.ts"
import { Clients } from "../../services/oauth/Clients.ts"
import { StoredClients } from "../../services/oauth/StoredClients.ts"
import { OperatorApps } from "../../services/oauth/OperatorApps.ts"
import { ConnectedApps } from "../../services/oauth/ConnectedApps.ts"
import { ProviderEntries } from "../../services/oidc/ProviderEntries.ts"
import { Providers } from "../../services/oidc/Providers.ts"
import { ProviderSignIns } from "../../services/oidc/ProviderSignIns.ts"
import { UserIdentities } from "../../services/oidc/UserIdentities.ts"
import { Attachments } from "../../services/notes/attachments/Attachments.ts"
import { Comments } from "../../services/notes/comments/Comments.ts"
import { createInitialRecords } from "../../services/notes/notebooks/Inbox.ts"
import { Notebooks } from "../../services/notes/notebooks/Notebooks.ts"
import { Notes } from "../../services/notes/Notes.ts"
import { TextEdits } from "../../services/notes/texts/TextEdits.ts"
import { ReminderClock } from "../../services/notes/reminders/ReminderClock.ts"
import { ReminderPushes } from "../../services/notes/reminders/ReminderPushes.ts"
import { Reminders } from "../../services/notes/reminders/Reminders.ts"
import { RenderedNotes } from "../../services/notes/RenderedNotes.ts"
import { SharedNotes } from "../../services/notes/shares/SharedNotes.ts"
import { Shares } from "../../services/notes/shares/Shares.ts"
import { ShareViews } from "../../services/notes/shares/ShareViews.ts"
import { Markdown } from "../../services/markdown/Markdown.ts"
import { Tags } from "../../services/notes/tags/Tags.ts"
import { Templates } from "../../services/notes/templates/Templates.ts"
import { Limits } from "../../services/limits/Limits.ts"
import { Throttles } from "../../services/limits/Throttles.ts"
import { Outbox } from "../../services/mail/Outbox.ts"
import * as Scheduler from "../../services/scheduler/Scheduler.ts"
import { Mentions } from "../../services/search/Mentions.ts"
import { Search } from "../../services/search/Search.ts"
import * as SearchLink from "../../services/search/SearchLink.ts"
import * as Sampler from "../../services/series/Sampler.ts"
import { Series } from "../../services/series/Series.ts"
import { directoryOf } from "../../services/files/FileStore.ts"
import { BlobWatch } from "../../services/files/BlobWatch.ts"
import { shapeOf } from "../../services/tables/Column.ts"
import { ChangeLog } from "../../services/writer/ChangeLog.ts"
import { Committer } from "../../services/writer/Committer.ts"
import { ExpensiveReads } from "../../services/database/ExpensiveReads.ts"
import { IdempotencyKeys } from "../../services/writer/IdempotencyKeys.ts"
import { PoolMetrics } from "../../services/database/PoolMetrics.ts"
import { Lists } from "../../services/lists/Lists.ts"
import { ProcessLock } from "../../services/database/ProcessLock.ts"
import { SignedUrls } from "../../services/files/SignedUrls.ts"
import { WebPush } from "../../services/webpush/WebPush.ts"
import { Deliveries } from "../../services/webhooks/Deliveries.ts"
import * as Dispatcher from "../../services/webhooks/Dispatcher.ts"
import { Webhooks } from "../../services/webhooks/Webhooks.ts"
import { Exports } from "../../services/transfers/exports/Exports.ts"
import { ExportRuns } from "../../services/transfers/exports/ExportRuns.ts"
import { ChangeSets } from "../../services/changesets/ChangeSets.ts"
import { RevertQueue } from "../../services/changesets/RevertQueue.ts"
import { RevertRuns } from "../../services/changesets/RevertRuns.ts"
import { Imports } from "../../services/transfers/imports/Imports.ts"
import { ImportRuns } from "../../services/transfers/imports/ImportRuns.ts"
import { OperatorJobs } from "../../services/transfers/OperatorJobs.ts"
import { TransferQueue } from "../../services/transfers/TransferQueue.ts"
import { Writer } from "../../services/writer/Writer.ts"
import { Devices } from "../../services/sync/Devices.ts"
import { Feeds } from "../../services/sync/Feeds.ts"
import { Push } from "../../services/sync/Push.ts"
import { SyncAdapters } from "../../services/sync/SyncAdapters.ts"
import { Device } from "../../services/sync/Device.ts"
import { syncedTypes } from "../../services/sync/SyncedTypes.ts"
import { Streams } from "../../services/sync/Streams.ts"
import { Sync } from "../../services/sync/Sync.ts"
import { FileRoom } from "../../services/workspaces/FileRoom.ts"
import { Founding } from "../../services/workspaces/Founding.ts"
import { Invitations } from "../../services/workspaces/Invitations.ts"
import { Members } from "../../services/workspaces/Members.ts"
import { Plans } from "../../services/workspaces/Plans.ts"
import { Quotas } from "../../services/workspaces/Quotas.ts"
import { Workspaces } from "../../services/workspaces/Workspaces.ts"
import { builtFile } from "../BuiltFile.ts"
import type { Settings } from "../server/settings/Config.ts"
import { contents } from "./ContentServices.ts"
import { contact, searchFolder } from "./Ports.ts"
import { version } from "../server/Version.ts"

/** The changes of the versions, which the package has next to the bundle; null if it has not. */
const releaseNotes = Effect.map(
  Effect.promise(() => builtFile("../CHANGELOG.md")),
  (file) => file?.toString() ?? null
)

/** The services that all others need. */
export const storage = Writer.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(Committer.layer, ChangeLog.layer, PoolMetrics.layer, Lists.layer, IdempotencyKeys.layer)
  ),
  Layer.provideMerge(Layer.mergeAll(ProcessLock.layer, ExpensiveReads.layer, SignedUrls.layer, BackgroundWork.layer))
)

export const founding = Founding.layer(createInitialRecords)

/** How webhooks read devices: `current` is false, since it depends on the caller. */
const aboutDevices = { from: "(SELECT *, false AS current FROM devices) d", shape: shapeOf(Device) }

/** How backups and drills are made; undefined without a place for backups. */
const scheduleOf = (settings: Settings): BackupOptions | undefined => {
  const { backupEvery, backupKeep, backupRecipients, backupTo, backupVerifyEvery, s3Access } = settings
  if (backupTo === undefined) return undefined
  return {
    to: backupTo,
    every: backupEvery,
    verifyEvery: backupVerifyEvery,
    keep: backupKeep,
    recipients: backupRecipients,
    access: s3Access,
    files: settings,
    version,
    // Redacted values write "<redacted>".
    configuration: JSON.stringify(settings, null, 2)
  }
}

/** All services, tier by tier. Each tier uses only those above it in this function. */
export const layer = (settings: Settings) => {
  const workspaces = Layer.mergeAll(
    Quotas.layer,
    FileRoom.layer,
    Workspaces.layer,
    Members.layer,
    Invitations.layer({ publicUrl: settings.publicUrl })
  ).pipe(Layer.provideMerge(Layer.succeed(Plans, settings.policies)))
  const identity = Layer.mergeAll(
    ApiKeys.layer,
    SetupLinks.layer.pipe(Layer.provideMerge(Sessions.layer)),
    Accounts.layer(settings).pipe(Layer.provideMerge(Reauthentication.layer)),
    Factors.layer,
    PasskeySignIn.layer,
    Registrations.layer,
    Recovery.layer(settings)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(AccountDeletions.layer, CodeAttempts.layer, Passkeys.layer(settings))),
    Layer.provideMerge(
      Layer.merge(Confirmations.layer({ publicUrl: settings.publicUrl }), SecurityMails.layer(settings))
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Users.layer,
        Credentials.layer(settings),
        Passwords.layer({ cost: settings.passwordCost, breached: settings.breachedPasswords }),
        PasswordSignIn.layer(settings)
      )
    )
  )
  const oauth = Layer.mergeAll(
    Authorizations.layer(settings),
    AppTokens.layer(settings),
    ConnectedApps.layer,
    OperatorApps.layer
  ).pipe(
    Layer.provideMerge(Clients.layer),
    Layer.provideMerge(StoredClients.layer),
    Layer.provide(ClientDocuments.layer(settings))
  )
  const oidc = Layer.mergeAll(ProviderSignIns.layer, UserIdentities.layer).pipe(
    Layer.provide(ProviderEntries.layer(settings)),
    Layer.provideMerge(Providers.layer(settings))
  )
  const notes = Layer.mergeAll(
    TextEdits.layer.pipe(Layer.provideMerge(Notes.layer)),
    Notebooks.layer,
    Tags.layer,
    Templates.layer,
    Comments.layer,
    Reminders.layer,
    Shares.layer({ publicUrl: settings.publicUrl }),
    SharedNotes.layer,
    RenderedNotes.layer({ publicUrl: settings.publicUrl }),
    ShareViews.layer
  ).pipe(
    Layer.provideMerge(Attachments.layer({ publicUrl: settings.publicUrl })),
    Layer.provideMerge(ReminderClock.layer({ publicUrl: settings.publicUrl })),
    Layer.provideMerge(ReminderPushes.layer)
  )
  const sync = Layer.mergeAll(Push.layer, Streams.layer({ perCredential: settings.streamsPerCredential })).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Sync.layer({ waitsPerCredential: settings.streamsPerCredential }), Feeds.layer, SyncAdapters.layer)
    ),
    Layer.provideMerge(Devices.layer)
  )
  const search = Mentions.layer.pipe(
    Layer.provideMerge(Search.layer),
    Layer.provideMerge(SearchLink.layer({ directory: searchFolder(settings), maxBytes: settings.searchMemory }))
  )
  const transfers = Layer.mergeAll(
    Exports.layer({ publicUrl: settings.publicUrl }),
    Imports.layer({ publicUrl: settings.publicUrl })
  ).pipe(
    Layer.provideMerge(TransferQueue.layer),
    Layer.provideMerge(ExportRuns.layer),
    Layer.provideMerge(ImportRuns.layer({ scratch: join(settings.dataDir, "imports") }))
  )
  const changesets = ChangeSets.layer.pipe(Layer.provideMerge(RevertQueue.layer), Layer.provideMerge(RevertRuns.layer))
  const activity = Layer.merge(Usages.layer, KeyRequests.layer(settings)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(Events.layer, NoteActivities.layer, AuditLog.layer, UsageCounters.layer, RefusedCalls.layer)
    )
  )
  const webhooks = Dispatcher.layer(eventRights).pipe(
    Layer.provideMerge(
      Layer.merge(Webhooks.layer(eventRights), Deliveries.layer(syncedTypes, [["device", aboutDevices]]))
    )
  )
  const schedule = scheduleOf(settings)
  const backups = Layer.merge(BackupSchedule.layer(schedule), RestoreDrills.layer(schedule))
  const { dataDir, host, port, publicUrl, s3Access, searchMemory } = settings
  const onDisk = { files: settings.s3 === undefined, database: settings.databaseUrl === undefined }
  const admin = Layer.mergeAll(
    OperatorProof.layer,
    ServerUsers.layer,
    ServerWorkspaces.layer,
    ServerMails.layer({ publicUrl }),
    ServerBackups.layer({ publicUrl, access: s3Access }),
    CheckRuns.layer({
      ...settings,
      filesDirectory: directoryOf(settings),
      searchDirectory: join(dataDir, "search")
    }),
    ServerState.layer({ public_url: publicUrl, version, searchMemory, releaseNotes }),
    OperatorAudit.layer,
    ServerAlarms.layer({ publicUrl, version, onDisk, ...settings.alarms })
  ).pipe(
    Layer.provideMerge(Nodes.layer({ address: `${host}:${port}`, version })),
    Layer.provideMerge(OperatorJobs.layer),
    Layer.provide(FactorResets.layer(settings)),
    Layer.provide(Operator.layer)
  )
  return Layer.mergeAll(Scheduler.layer, Sampler.layer).pipe(
    Layer.provideMerge(admin),
    Layer.provideMerge(Layer.merge(backups, AuditExport.layer(settings.auditLog))),
    Layer.provideMerge(changesets),
    Layer.provideMerge(Layer.mergeAll(sync, search, activity, webhooks, transfers, Series.layer)),
    Layer.provideMerge(contents),
    Layer.provideMerge(notes),
    Layer.provideMerge(Layer.merge(oauth, oidc)),
    Layer.provideMerge(WebPush.layer({ subject: contact(settings) })),
    Layer.provideMerge(identity),
    Layer.provideMerge(workspaces),
    Layer.provideMerge(founding),
    Layer.provideMerge(
      Layer.mergeAll(
        Limits.layer({ perMinute: settings.rateLimit }),
        Throttles.layer({ perMinute: settings.rateLimit })
      )
    ),
    Layer.provideMerge(Layer.mergeAll(Outbox.layer, Markdown.layer, BlobWatch.layer)),
    Layer.provideMerge(storage)
  )
}
