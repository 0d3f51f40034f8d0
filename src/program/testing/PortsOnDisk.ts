import { Layer } from "effect"
import { Database } from "../../../services/database/Database.ts"
import { NodeBus } from "../../../services/database/NodeBus.ts"
import { Outgoing } from "../../../services/outgoing/Outgoing.ts"
import { Secrets } from "../../../services/secrets/Secrets.ts"
import type { Settings } from "../../server/settings/Config.ts"
import * as Ports from "../Ports.ts"
import * as RecordedMailer from "./RecordedMailer.ts"
import * as RecordedOutgoing from "./RecordedOutgoing.ts"
import type * as TemporaryPostgres from "./TemporaryPostgres.ts"

/** No DNS queries are sent. */
const resolve = (name: string): Promise<ReadonlyArray<string>> =>
  name === "localhost"
    ? Promise.resolve(["127.0.0.1"])
    : Promise.reject(Object.assign(new Error("no names here"), { code: "ENOTFOUND" }))

/** The real ports, of which some need DiskSpace. */
export const portsOnDisk = (
  settings: Settings,
  address: TemporaryPostgres.TestPostgres & { readonly database: string },
  sent: RecordedOutgoing.Sent
) =>
  Layer.mergeAll(
    NodeBus.layer({ alone: false }).pipe(Layer.provideMerge(Database.layer(address))),
    Secrets.layer({ current: settings.secretKey!, previous: settings.secretKeyPrevious }),
    RecordedMailer.layer(sent.mails),
    Ports.blobs(settings),
    Ports.counters(settings),
    RecordedOutgoing.layer(
      sent,
      Outgoing.layer({ allow: [...RecordedOutgoing.loopback, ...settings.webhookAllow], resolve })
    )
  )
