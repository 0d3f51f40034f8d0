import { attack, report } from "./Attack.ts"
import { flood, times } from "./Client.ts"
import { attackerWith, LARGE, ordinaryText } from "./Content.ts"

/** Large responses without sign-in, compressed again for each request. */
export const pageFlood = attack({
  name: "page-flood",
  finding: "compressing the same pages for each request took both cores",
  seconds: 3,
  together: true,
  run: (lab) => {
    const anybody = lab.client(undefined, { connections: 32 })
    const pages = ["/docs", "/v2/openapi.json"]
    return flood(lab.signal, { atOnce: 32, most: 20_000 }, (index) =>
      anybody.get(pages[index % 2]!, { headers: { "accept-encoding": index % 4 < 2 ? "br" : "gzip" } })
    )
  },
  judge: report
})

/** Pages of 4 MB of the attacker's notes, compressed for each request. */
export const largePages = attack({
  name: "large-pages",
  finding: "twelve readers of pages of 4 MB blocked all requests for two seconds, including /readyz",
  together: true,
  prepare: (lab) => {
    const body = ordinaryText(LARGE)
    return attackerWith(
      lab,
      times(6, (index) => ({ title: `t${index}`, body }))
    )
  },
  run: (lab, { key }) => {
    const client = lab.client(key)
    const codings = ["br", "gzip", "identity"]
    return flood(lab.signal, { atOnce: 12, most: 200 }, (index) =>
      index % 2
        ? client.get("/v2/notes?limit=100", { headers: { "accept-encoding": codings[index % 3]! } })
        : client.post(
            "/v2/sync/pull",
            { limit: 500, types: ["note"] },
            { headers: { "accept-encoding": codings[index % 3]! } }
          )
    )
  },
  judge: report
})
