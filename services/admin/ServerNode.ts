import { Schema } from "effect"
import * as Fields from "../Fields.ts"

/** A running node (contract 11). */
export const ServerNode = Schema.Struct({
  id: Fields.text("The id of the node, until it is started again.", "4f2c1b7a-0c1d-4b5e-9a63-2f5f3c1f6b10"),
  host: Fields.text("The name of its machine.", "notes-1"),
  address: Fields.text("The address that it listens on.", "127.0.0.1:4000"),
  version: Fields.text("Its version of Sheaf.", "0.1.0"),
  workers: Fields.count("Number of its processes that serve: 1 without WORKERS.", 1),
  memory_bytes: Fields.count("Bytes of memory that these processes use.", 157_286_400),
  started_at: Fields.time("When the oldest of them started."),
  seen_at: Fields.time("When it last reported. A node that has not reported for a minute is no longer listed.")
}).annotate({ identifier: "ServerNode" })
export type ServerNode = typeof ServerNode.Type

export const ServerNodes = Schema.Struct({
  data: Schema.Array(ServerNode).annotate({
    description: "The running nodes, the oldest first."
  })
}).annotate({ identifier: "ServerNodes" })
