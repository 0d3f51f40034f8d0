import { attack } from "./Attack.ts"
import { flood, slowest, statuses } from "./Client.ts"

/** Large answers that anybody may ask for, compressed anew each time. */
export const pageFlood = attack({
  name: "page-flood",
  finding: "compressing the same pages for everybody took both cores",
  seconds: 3,
  together: true,
  run: (lab) => {
    const anybody = lab.client(undefined, { connections: 32 })
    const pages = ["/docs", "/v2/openapi.json"]
    return flood(lab.signal, { atOnce: 32, most: 20_000 }, (index) =>
      anybody.get(pages[index % 2]!, { headers: { "accept-encoding": index % 4 < 2 ? "br" : "gzip" } }))
  },
  judge: (answers) => ({ figures: `${statuses(answers)}, ${slowest(answers)}`, fell: [] })
})
