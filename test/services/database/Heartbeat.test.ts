import { describe, expect, it } from "vitest"
import { endpointOfUrl } from "../../../services/database/Heartbeat.ts"

describe("the endpoint of DATABASE_URL", () => {
  it.each([
    ["postgres://db.example.org/sheaf?sslmode=require", { host: "db.example.org", port: 5432 }],
    ["postgresql://sheaf:p%40ss@db.example.org:6432/sheaf", { host: "db.example.org", port: 6432 }],
    ["postgres://[2001:db8::1]:6432/sheaf", { host: "2001:db8::1", port: 6432 }],
    ["postgres:///sheaf", { host: "localhost", port: 5432 }],
    ["postgres:///sheaf?host=/run/postgresql", { path: "/run/postgresql/.s.PGSQL.5432" }],
    ["postgres://%2Frun%2Fpostgresql/sheaf?port=6432", { path: "/run/postgresql/.s.PGSQL.6432" }]
  ])("is read from %s as by libpq", (url, endpoint) => {
    expect(endpointOfUrl(url)).toEqual(endpoint)
  })
})
