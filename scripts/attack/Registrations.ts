import { PASSWORD } from "../bench/Target.ts"
import { attack } from "./Attack.ts"
import { flood, statuses } from "./Client.ts"

/** Tests whether an address has an account. */
export const registrations = attack({
  name: "registrations",
  finding: "one address tested 600 accounts a second for existence",
  measured: false,
  run: (lab) => {
    const anybody = lab.client()
    const { email } = lab.server.other
    return flood(lab.signal, { atOnce: 4, most: 40 }, () =>
      anybody.post("/v2/auth/register", { email, password: PASSWORD })
    )
  },
  judge: (replies) => ({
    figures: statuses(replies),
    failures:
      replies.filter(({ status }) => status === 409).length > 20
        ? ["more than 20 registrations of an address were not refused"]
        : []
  })
})

/** Each refresh is a transaction, and a row that remains. */
export const refreshes = attack({
  name: "refreshes",
  finding: "a session was refreshed 190 times a second, each time with a row that remains for 90 days",
  measured: false,
  run: async (lab) => {
    const anybody = lab.client()
    const { email } = lab.server.takeAttacker()
    let { refresh_token } = await anybody.need(200, "POST", "/v2/auth/login", { body: { email, password: PASSWORD } })
    const replies = []
    for (let count = 0; count < 20; count++) {
      const reply = await anybody.post("/v2/auth/refresh", { refresh_token })
      replies.push(reply)
      if (reply.status === 200) ({ refresh_token } = JSON.parse(reply.text))
    }
    return replies
  },
  judge: (replies) => ({
    figures: statuses(replies),
    failures: replies.some(({ status }) => status === 429) ? [] : ["20 refreshes in a row were accepted"]
  })
})

/** A request about a known address must not take longer than one about an unknown address. */
export const resetTimes = attack({
  name: "reset-times",
  seconds: 8,
  finding: "the response for a known address took measurably longer than for an unknown address",
  measured: false,
  run: async (lab) => {
    const known: Array<number> = []
    const unknown: Array<number> = []
    for (let pair = 0; pair < 60 && !lab.signal.aborted; pair++) {
      const { email } = lab.server.takeAttacker()
      const anybody = lab.client()
      // Opens the connection in advance.
      await anybody.get("/healthz")
      const asks = [
        async () => known.push((await anybody.post("/v2/auth/forgot", { email })).ms),
        async () => unknown.push((await anybody.post("/v2/auth/forgot", { email: `no-${email}` })).ms)
      ]
      for (const ask of pair % 2 ? asks : asks.reverse()) await ask()
    }
    return { known, unknown }
  },
  judge: ({ known, unknown }) => {
    const middle = (all: ReadonlyArray<number>) =>
      all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0
    const slower = known.filter((ms, pair) => ms > unknown[pair]!).length
    return {
      figures: `known ${middle(known).toFixed(2)} ms, unknown ${middle(unknown).toFixed(2)} ms, known slower in ${slower} of ${known.length}`,
      failures:
        slower >= (2 / 3) * known.length && middle(known) > 1.3 * middle(unknown)
          ? ["the response time reveals accounts"]
          : []
    }
  }
})
