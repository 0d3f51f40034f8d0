import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { declaredVariables } from "../support/DeclaredVariables.ts"
import { eventually } from "../support/flows/eventually.ts"
import { databaseUrl, dropDatabase, emptyDatabase } from "../support/servers/Databases.ts"
import { freePort } from "../support/servers/freePort.ts"
import { endPrograms, Program, sheaf } from "../support/servers/Program.ts"

const root = join(import.meta.dirname, "../..")
const documents = parseAllDocuments(readFileSync(join(root, "kubernetes.yaml"), "utf8"))
const [service, set] = documents.map((document) => document.toJS())
const pod = set.spec.template.spec
const [container] = pod.containers
const dataDir = mkdtempSync(join(tmpdir(), "sheaf-kubernetes-"))
afterAll(async () => {
  await endPrograms()
  rmSync(dataDir, { recursive: true })
})

/** The numbers of ports by their names. */
const ports = new Map<string, number>(container.ports.map((port: any) => [port.name, port.containerPort]))
const probes = { startup: container.startupProbe, live: container.livenessProbe, ready: container.readinessProbe }

it("the manifest refers to what it has, and to settings of Sheaf", () => {
  for (const document of documents) expect([document.errors, document.warnings]).toEqual([[], []])
  expect([service.kind, service.apiVersion, set.kind, set.apiVersion]).toEqual([
    "Service",
    "v1",
    "StatefulSet",
    "apps/v1"
  ])
  expect(set.spec.template.metadata.labels).toMatchObject(set.spec.selector.matchLabels)
  expect(set.spec.template.metadata.labels).toMatchObject(service.spec.selector)
  expect(set.spec.serviceName).toBe(service.metadata.name)
  for (const { targetPort } of service.spec.ports) expect([...ports.keys()]).toContain(targetPort)
  for (const { httpGet } of Object.values(probes)) expect([...ports.keys()]).toContain(httpGet.port)
  const variables = declaredVariables.map(({ name }) => name)
  for (const { name } of container.env) expect(variables).toContain(name)
  const secrets = declaredVariables.filter(({ isSecret }) => isSecret).map(({ name }) => name)
  for (const { name, value } of container.env) expect(secrets.includes(name), name).toBe(value === undefined)
  const volumes = [...pod.volumes, ...set.spec.volumeClaimTemplates.map(({ metadata }: any) => metadata)]
  const mounted = container.volumeMounts.map(({ name }: any) => name)
  expect(mounted.toSorted()).toEqual(volumes.map(({ name }: any) => name).toSorted())
})

it("the manifest has the user and the directory of the image, and no more rights than it needs", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8")
  const { fsGroup, runAsGroup, runAsUser } = pod.securityContext
  expect(dockerfile).toContain(`USER ${runAsUser}:${runAsGroup}`)
  expect([pod.securityContext.runAsNonRoot, fsGroup]).toEqual([true, runAsGroup])
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] }
  })
  const paths = container.volumeMounts.map(({ mountPath }: any) => mountPath)
  expect(paths).toEqual([/^VOLUME (\S+)$/m.exec(dockerfile)![1], "/tmp"])
  const value = (name: string) => container.env.find((each: any) => each.name === name).value
  expect([value("DATA_DIR"), Number(value("PORT"))]).toEqual([paths[0], ports.get("http")])
  // The entry point of the image, without arguments.
  expect([container.command, container.args]).toEqual([undefined, undefined])
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(value("SHUTDOWN_DELAY")) + 20)
})

it("the program starts with the environment of the manifest, responds to its probes, and ends within its time", async () => {
  const database = await emptyDatabase()
  // What depends on this machine: the secrets, the port and the volume.
  const port = String(await freePort())
  const here: Record<string, string> = {
    DATABASE_URL: databaseUrl(database),
    SECRET_KEY: randomBytes(32).toString("base64"),
    PORT: port,
    DATA_DIR: dataDir
  }
  const env = Object.fromEntries(container.env.map(({ name, value }: any) => [name, here[name] ?? value]))
  const program = new Program({ DATA_DIR: dataDir, ...env }, false, [sheaf[0], "--max-old-space-size=2000", sheaf[1]!])
  try {
    const probe = async (name: keyof typeof probes) => {
      const response = await fetch(`http://127.0.0.1:${port}${probes[name].httpGet.path}`).catch(() => undefined)
      return response?.status
    }
    await eventually("the startup probe succeeds", async () => (await probe("startup")) === 200)
    expect([await probe("live"), await probe("ready")]).toEqual([200, 200])
    const before = performance.now()
    const ended = program.kill("SIGTERM")
    // The service loses the pod while it still serves.
    await eventually("the readiness probe fails", async () => (await probe("ready")) === 503)
    expect(await probe("live")).toBe(200)
    expect(await ended).toBe(0)
    expect((performance.now() - before) / 1000).toBeLessThan(pod.terminationGracePeriodSeconds)
    expect(program.errors).not.toMatch(/"level":"(WARN|ERROR)"/)
  } finally {
    await program.kill("SIGKILL")
    await dropDatabase(database)
  }
})
