import { attack } from "./Attack.ts"
import { flood, statuses } from "./Client.ts"

/** Bodies of requests without a credential are read and parsed too. */
export const largeLogIns = attack({
  name: "large-log-ins",
  finding: "log-ins of 7 MB blocked the process for 155 ms each",
  seconds: 3,
  run: (lab) => {
    const anybody = lab.client()
    const shapes = [
      JSON.stringify({ email: "é".repeat(3_400_000), password: "x" }),
      `{"email":"a","password":"b","x":[${"{},".repeat(49_000)}1],"y":[${"1,".repeat(49_000)}1]}`,
      JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1])))
    ]
    return flood(lab.signal, { atOnce: 8, most: 400 }, (index) =>
      anybody.send("POST", "/v2/auth/login", { raw: shapes[index % 3]! })
    )
  },
  judge: (replies) => ({
    figures: statuses(replies),
    failures: replies.some(({ status }) => status !== 413 && status !== 0)
      ? ["a log-in of more than 64 KiB was read"]
      : []
  })
})
