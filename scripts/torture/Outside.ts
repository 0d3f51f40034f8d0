/** A real S3 and a real Redis for nodes, behind proxies that delay, lose and refuse what passes. */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { randomUUID } from "node:crypto"
import { RedisServer } from "../../test/support/servers/RedisServer.ts"
import { find as findRedis } from "../../test/support/servers/RedisSetup.ts"
import { TcpProxy } from "../../test/support/servers/TcpProxy.ts"
import { CephGateway } from "../s3/CephGateway.ts"
import { find as findCeph } from "../s3/CephPackages.ts"

const slowDown = "<Error><Code>SlowDown</Code><Message>Reduce your request rate</Message></Error>"
const replies = {
  S3: `HTTP/1.1 503 Slow Down\r\ncontent-type: application/xml\r\ncontent-length: ${slowDown.length}\r\nconnection: close\r\n\r\n${slowDown}`,
  Redis: "-LOADING Redis is loading the dataset in memory\r\n"
}
export type OutsideName = keyof typeof replies

let gateway: Promise<CephGateway> | undefined

/** One gateway for the whole program: it needs a quarter of a minute to start. */
const startGateway = async (): Promise<CephGateway> => {
  const found = await findCeph()
  if ("missing" in found) throw new Error(found.missing)
  return CephGateway.start(found)
}

/** Ends the gateway, after all stages. */
export const stopGateway = async (): Promise<void> => (await gateway)?.stop()

export class Outside {
  readonly redis: RedisServer
  readonly proxies: Readonly<Record<OutsideName, TcpProxy>>
  readonly env: Readonly<Record<string, string>>

  private constructor(redis: RedisServer, proxies: Outside["proxies"], env: Outside["env"]) {
    this.redis = redis
    this.proxies = proxies
    this.env = env
  }

  /** Starts a Redis, and makes an account with an empty bucket. */
  static async start(): Promise<Outside> {
    const ceph = await (gateway ??= startGateway())
    const bucket = `torture-${randomUUID()}`
    const account = await ceph.account(bucket)
    const region = "us-east-1"
    const client = new S3Client({ endpoint: ceph.url, region, forcePathStyle: true, credentials: account })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
    const redis = await RedisServer.start(await findRedis())
    const proxies = { S3: await TcpProxy.to(ceph.url), Redis: await TcpProxy.to(redis.url) }
    for (const [name, reply] of Object.entries(replies)) proxies[name as OutsideName].reply = reply
    return new Outside(redis, proxies, {
      S3_ENDPOINT: proxies.S3.url,
      S3_BUCKET: bucket,
      S3_REGION: region,
      S3_ACCESS_KEY_ID: account.accessKeyId,
      S3_SECRET_ACCESS_KEY: account.secretAccessKey,
      REDIS_URL: proxies.Redis.url.replace("http", "redis"),
      // Counted in Redis, and never reached.
      RATE_LIMIT: "999999999"
    })
  }

  heal(): void {
    for (const proxy of Object.values(this.proxies)) {
      proxy.delay = 0
      proxy.turn("passes")
    }
  }

  async stop(): Promise<void> {
    for (const proxy of Object.values(this.proxies)) await proxy.stop()
    await this.redis.stop()
  }
}
