import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { attack } from "./Attack.ts"
import { times } from "./Client.ts"
import { attackerWith, LARGE, ordinaryText } from "./Content.ts"
import type { Lab } from "./Lab.ts"

/** The state of an open connection in `/proc/net/tcp`. */
const ESTABLISHED = "01"

/** Requests many responses and reads none of them. */
const ask = (lab: Lab, path: string, count: number, each: number, head = ""): Array<Socket> =>
  times(count, () => {
    const socket = lab.client().socket()
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${head}\r\n`.repeat(each))
    return socket
  })

/** An end of a connection in the format of `/proc/net/tcp`. */
const endOf = (address: string, port: number): string =>
  Buffer.from(address.split(".").map(Number).reverse()).toString("hex").toUpperCase() +
  `:${port.toString(16).toUpperCase().padStart(4, "0")}`

/** The number of connections that the server keeps open, by the system: a socket that reads nothing does not notice. */
const heldOf = (sockets: ReadonlyArray<Socket>): number => {
  const held = new Set(
    readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === ESTABLISHED)
      .map(([, own, other]) => `${own} ${other}`)
  )
  return sockets.filter(({ localAddress = "", localPort = 0, remoteAddress = "", remotePort = 0 }) =>
    held.has(`${endOf(remoteAddress, remotePort)} ${endOf(localAddress, localPort)}`)
  ).length
}

export const slowReaders = attack({
  name: "slow-readers",
  finding: "a thousand connections that read nothing took 670 MB",
  together: true,
  run: async (lab) => {
    const sockets = ask(lab, "/docs", 500, 40)
    await sleep(3000)
    return heldOf(sockets)
  },
  judge: (left) => ({ figures: `${left} of 500 connections left`, failures: [] })
})

/** Pages of 4 MB of the attacker's notes, on many connections that read nothing. */
export const unreadPages = attack({
  name: "unread-pages",
  finding: "150 connections that asked for pages of 4 MB and read nothing blocked all requests for two seconds",
  together: true,
  prepare: (lab) => {
    const body = ordinaryText(LARGE)
    return attackerWith(
      lab,
      times(6, (index) => ({ title: `t${index}`, body }))
    )
  },
  run: async (lab, { key }) => {
    const sockets = ask(lab, "/v2/notes?limit=100", 150, 6, `Authorization: Bearer ${key}\r\n`)
    await sleep(3000)
    return heldOf(sockets)
  },
  judge: (left) => ({ figures: `${left} of 150 connections left`, failures: [] })
})

/** A few such connections, for longer than any timeout. */
export const patientReaders = attack({
  name: "patient-readers",
  finding: "responses that are never read were kept forever",
  measured: false,
  apart: true,
  seconds: 90,
  run: async (lab) => {
    const sockets = ask(lab, "/docs", 30, 40)
    await sleep(5000)
    // An immediate refusal is a good result too.
    for (let second = 5; second < 85; second++) {
      if (heldOf(sockets) === 0) return { left: 0, second }
      await sleep(1000)
    }
    return { left: heldOf(sockets), second: 85 }
  },
  judge: ({ left, second }) => ({
    figures: `${left} of 30 connections left after ${second} s`,
    failures: left > 0 ? ["connections that read nothing are still open"] : []
  })
})
