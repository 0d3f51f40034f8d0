import { ListMultipartUploadsCommand } from "@aws-sdk/client-s3"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { afterAll, describe, expect, it } from "vitest"
import { backupInBucket } from "../../../services/backup/BackupInBucket.ts"
import type { BackupPlace } from "../../../services/backup/BackupPlace.ts"
import { defaultSizes, S3Bucket } from "../../../services/files/S3Bucket.ts"
import { defaultTimeouts } from "../../../services/files/S3Clients.ts"
import { TcpProxy } from "../../support/servers/TcpProxy.ts"
import { type S3Server, s3Server } from "../../support/servers/S3Server.ts"

const s3 = await s3Server()
const missing = "missing" in s3 ? ` (skipped: ${s3.missing})` : ""

describe.skipIf(missing !== "")(`a backup in a bucket${missing}`, () => {
  const part = 5 * 1024 * 1024
  const { client, ...place } = s3 as S3Server
  const bucket = new S3Bucket(place, { ...defaultSizes, part }, defaultTimeouts)
  afterAll(() => {
    bucket.end()
    client.destroy()
  })
  const uploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: place.bucket }))).Uploads?.map(({ Key }) => Key) ?? []
  const unending = new AbortController().signal
  const content = randomBytes(2 * part + 7)
  async function* chunks(bytes = content) {
    for (let start = 0; start < bytes.length; start += 700_000) yield bytes.subarray(start, start + 700_000)
  }
  const readAll = async (backup: BackupPlace) => Buffer.concat(await Array.fromAsync(backup.read()))

  it.each([0, 7, part, part + 1, 2 * part, content.length])(
    "of %d bytes is there when it is complete",
    async (size) => {
      const backup = backupInBucket(bucket, `sizes/${size}`)
      const upload = backup.upload()
      await upload.receive(chunks(content.subarray(0, size)), unending)
      expect(await backup.size()).toBe(undefined)
      expect(await upload.commit()).toBe(size)
      expect(await backup.size()).toBe(size)
      expect((await readAll(backup)).equals(content.subarray(0, size))).toBe(true)
      expect(await uploads()).toEqual([])
      await backup.remove()
      expect(await backup.size()).toBe(undefined)
    }
  )

  it("leaves no parts when it is abandoned, or when an attempt after a crash removes them", async () => {
    const [failing, killed] = [backupInBucket(bucket, "failing"), backupInBucket(bucket, "killed")]
    const upload = failing.upload()
    async function* broken() {
      yield* chunks()
      throw new Error("the source has failed")
    }
    await expect(upload.receive(broken(), unending)).rejects.toThrow("the source has failed")
    await killed.upload().receive(chunks(), unending)
    expect(await uploads()).toEqual(["failing", "killed"])
    await upload.abandon()
    expect(await uploads()).toEqual(["killed"])
    await backupInBucket(bucket, "kill").clean()
    expect(await uploads()).toEqual(["killed"])
    await killed.clean()
    expect(await uploads()).toEqual([])
  })

  it("is not called damaged when the connection to the store ends while it is read", async () => {
    const proxy = await TcpProxy.to(place.endpoint)
    const behind = new S3Bucket({ ...place, endpoint: proxy.url }, { ...defaultSizes, part }, defaultTimeouts)
    try {
      const backup = backupInBucket(behind, "broken")
      const upload = backup.upload()
      await upload.receive(chunks(), unending)
      await upload.commit()
      const reading = backup.read()
      await once(reading, "readable")
      proxy.turn("refuses")
      await expect(Array.fromAsync(reading)).rejects.toThrow(`The bucket ${place.bucket} closed the connection`)
    } finally {
      behind.end()
      await proxy.stop()
    }
  })

  it("is not read if another one takes its place between the check and the restore", async () => {
    const backup = backupInBucket(bucket, "changing")
    for (const bytes of [content, Buffer.from("other")]) {
      const upload = backup.upload()
      await upload.receive(chunks(bytes), unending)
      await upload.commit()
      if (bytes === content) expect((await readAll(backup)).equals(content)).toBe(true)
      else await expect(readAll(backup)).rejects.toThrow("has changed while it was read")
    }
  })
})
