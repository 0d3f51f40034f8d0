import { expect, it } from "vitest"
import { eventsOf } from "../../src/clients/client/EventStream.ts"

it("events are complete however the bytes of the stream are split", async () => {
  const text = `retry: 3000\nevent: ready\nid: c0\ndata: {"cursor":"c0"}\n\n: ping\n\nid: c1\nevent: change\ndata: {"id":"nt_ä: b"}\n\n`
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte))
  const events = eventsOf(new Response(ReadableStream.from(bytes)), new AbortController().signal)
  expect(await Array.fromAsync(events)).toEqual([
    { event: "ready", id: "c0", data: `{"cursor":"c0"}` },
    { event: "change", id: "c1", data: `{"id":"nt_ä: b"}` }
  ])
})
