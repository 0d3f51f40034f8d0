import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { isMainThread, MessageChannel, type MessagePort, workerData } from "node:worker_threads"
import { received } from "../../concurrency/SentSecrets.ts"
import { beginGuarded } from "../../concurrency/WorkerModule.ts"
import { linkThread, runEach } from "../../markdown/MarkdownThread.ts"
import { type Address, clientOf } from "../../database/Database.ts"
import { ExportReads } from "./ExportReads.ts"
import { ExportSource, NoNotebook } from "./ExportSource.ts"
import { exportJson } from "./JsonExport.ts"
import { exportMarkdown, type FindLinks } from "./MarkdownExport.ts"
import { fromPort, PortSink } from "../PortStream.ts"
import type { FromThread, ThreadData, ThreadPorts } from "./ExportMessages.ts"
import { ZipWriter } from "../formats/zip/ZipWriter.ts"

/** The thread of one export (`ExportThread`): makes a ZIP from a snapshot of the database. */

/** Limits for parsing. The links of a note that exceeds them are not changed. */
const linkBounds = { maxMillis: 6_000, maxMegabytes: 384, isKept: true }

const serve = async ({ address, control, parameters, pieces }: ThreadData & ThreadPorts) => {
  const send = (message: FromThread, ports: ReadonlyArray<MessagePort> = []) => control.postMessage(message, [...ports])
  const sink = new PortSink(pieces)
  const links = linkThread(linkBounds)

  let sent = 0
  const progress = (share: number) => {
    const permille = Math.floor(1000 * share)
    if (permille <= sent) return
    sent = permille
    send({ permille })
  }

  const file = (sha256: string) => {
    const { port1, port2 } = new MessageChannel()
    send({ file: sha256, port: port2 }, [port2])
    return fromPort(port1)
  }

  // The thread runs one request at a time.
  let last: ReturnType<FindLinks> = Promise.resolve([])
  const findLinks: FindLinks = (texts) => {
    last = last.then(() => runEach(links, texts))
    return last
  }

  const work = Effect.gen(function* () {
    const client = yield* clientOf(received<Address>(address, ["url"]), "write", 1)
    const connection = yield* client.reserve
    const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
    const execute = <Row extends object>(text: string, params: ReadonlyArray<unknown>) =>
      runPromise(connection.execute(text, params, undefined)) as Promise<ReadonlyArray<Row>>
    yield* Effect.promise(async () => {
      // The transaction may be idle while a slow store sends a file.
      await execute("SET idle_in_transaction_session_timeout = '900s'", [])
      await execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [])
      const source = await ExportSource.open(new ExportReads(execute, parameters), parameters)
      const zip = new ZipWriter(sink.take)
      const output = { zip, file, progress, leftOut: (files: number) => send({ leftOut: files }) }
      await (parameters.format === "json" ? exportJson(source, output) : exportMarkdown(source, output, findLinks))
      await zip.end()
      await execute("COMMIT", [])
    })
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

  /** Resolves when the main loop has received all messages: messages of two ports are not in order. */
  const allReceived = () =>
    new Promise<void>((resolve) => {
      control.once("message", () => resolve())
      send({ isLast: true })
    })

  try {
    await Effect.runPromise(work)
    await allReceived()
    await sink.end()
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error)
    send(error instanceof NoNotebook ? { notebookGone: true } : { failed })
    await allReceived()
    await sink.fail(error)
  } finally {
    await links.end()
    control.close()
  }
}

if (!isMainThread) {
  beginGuarded()
  void serve(workerData as ThreadData & ThreadPorts)
}
