import { parse } from "content-disposition"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dispositionOf } from "../../services/Disposition.ts"
import { rounds } from "../support/Slow.ts"

describe("Content-Disposition", () => {
  it("keeps an ASCII file name as it is", () => {
    expect(dispositionOf("notes.txt", true)).toBe("inline; filename=notes.txt")
    expect(dispositionOf("my notes; v=2.txt", false)).toBe('attachment; filename="my notes; v=2.txt"')
  })

  it("encodes other names in UTF-8, with an ASCII fallback", () => {
    expect(dispositionOf("Übersicht 雪.pdf", false)).toBe(
      `attachment; filename="Ubersicht _.pdf"; filename*=UTF-8''%C3%9Cbersicht%20%E9%9B%AA.pdf`
    )
    expect(dispositionOf("👩‍💻.png", true)).toContain("filename*=UTF-8''%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB.png")
    expect(dispositionOf("100%41.txt", false)).toBe(`attachment; filename=100_41.txt; filename*=UTF-8''100%2541.txt`)
    expect(dispositionOf('say "hi".txt', false)).toBe(
      `attachment; filename="say _hi_.txt"; filename*=UTF-8''say%20%22hi%22.txt`
    )
  })

  it("replaces characters that disguise a name", () => {
    expect(parse(dispositionOf("invoice\u202egpj.exe", false)).parameters["filename"]).toBe("invoice_gpj.exe")
    expect(parse(dispositionOf("../../etc\\passwd\0\r\nX: y", false)).parameters["filename"]).toBe(
      ".._.._etc_passwd___X: y"
    )
    expect(parse(dispositionOf(" \ud800 ", false)).parameters["filename"]).toBe("\ufffd")
    expect(dispositionOf(" ", false)).toBe("attachment; filename=file")
  })

  it("is an ASCII header with a safe name, for every name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 255 }), fc.boolean(), (name, isInline) => {
        const header = dispositionOf(name, isInline)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        const { parameters, type } = parse(header)
        expect(type).toBe(isInline ? "inline" : "attachment")
        expect(parameters["filename"]!.length).toBeGreaterThan(0)
        expect(parameters["filename"]).not.toMatch(/[\p{Cc}/\\\u202a-\u202e]/u)
        // A safe name stays as it is.
        expect(parse(dispositionOf(parameters["filename"]!, isInline)).parameters["filename"]).toBe(
          parameters["filename"]
        )
      }),
      { numRuns: rounds(200, 2_000) }
    )
  })
})
