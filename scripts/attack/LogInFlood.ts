import { setTimeout as sleep } from "node:timers/promises"
import { PASSWORD } from "../bench/Target.ts"
import { attack } from "./Attack.ts"
import { flood, slowest, statuses } from "./Client.ts"
import { unique } from "./Content.ts"

/** A password check takes a quarter of a second of a core; guesses queue ahead of valid passwords. */
export const logInFlood = attack({
  name: "log-in-flood",
  finding: "110 connections of one address caused the refusal of all log-ins, registrations and resets",
  seconds: 14,
  together: true,
  run: async (lab) => {
    const guesser = lab.client(undefined, { connections: 110 })
    const guesses = flood(lab.signal, { atOnce: 110, most: 2000 }, async () => {
      const reply = await guesser.post("/v2/auth/login", { email: `${unique()}@example.org`, password: "guess" })
      if (reply.status !== 401) await sleep(100)
      return reply
    })
    await sleep(1000)
    const logIns = await Promise.all(
      [0, 1, 2].map((index) =>
        lab.client().post("/v2/auth/login", {
          email: lab.server.other.email,
          password: PASSWORD,
          device: { name: `${index}`, platform: "attack" }
        })
      )
    )
    lab.end()
    return { logIns, guesses: await guesses }
  },
  judge: ({ guesses, logIns }) => ({
    figures: `another's log-ins ${statuses(logIns)}, ${slowest(logIns)}; guesses ${statuses(guesses)}`,
    failures: logIns.some(({ status }) => status !== 200) ? ["a correct password was refused or waited for 12 s"] : []
  })
})
