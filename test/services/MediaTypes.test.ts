import { describe, expect, it } from "vitest"
import { contentTypeOf, servedType } from "../../services/MediaTypes.ts"

const markup = [
  "<!doctype html><script>alert(1)</script>",
  "  \r\n\t<HTML>",
  "\ufeff<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
  "<?xml version='1.0'?><x/>",
  "<!-- a comment --><p>",
  "</p><script>"
]

describe("a media type", () => {
  it("has one normal form", () => {
    expect(contentTypeOf("Image/PNG")).toBe("image/png")
    expect(contentTypeOf('text/plain ; Charset="utf-8"; format=flowed')).toBe("text/plain;charset=utf-8;format=flowed")
    expect(contentTypeOf("application/vnd.oasis.opendocument.text")).toBe("application/vnd.oasis.opendocument.text")
  })

  it("is undefined for a text that is no type, a range of types, too long, or not visible ASCII", () => {
    for (const text of [
      "",
      "image",
      "image/",
      "/png",
      "image/*",
      "*/*",
      "image/p ng",
      "text/plain\r\nSet-Cookie: a=b",
      "text/plain; name=\0",
      "text/plain; name=\u00e9",
      "bild/\u00fc",
      `text/${"x".repeat(251)}`,
      `text/plain; a=${"x ".repeat(120)}y`
    ]) {
      expect(contentTypeOf(text), JSON.stringify(text)).toBeUndefined()
    }
  })
})

describe("the type that a file is served with", () => {
  it("is the claimed one, shown by the browser where it is safe", () => {
    expect(servedType("image/png")).toEqual({ content_type: "image/png", isInline: true })
    expect(servedType("Video/MP4; codecs=avc1")).toEqual({ content_type: "video/mp4;codecs=avc1", isInline: true })
    expect(servedType("text/plain")).toEqual({ content_type: "text/plain;charset=utf-8", isInline: true })
    expect(servedType("text/plain;charset=windows-1252").content_type).toBe("text/plain;charset=windows-1252")
    for (const type of [
      "application/pdf",
      "application/zip",
      "text/markdown;charset=utf-8",
      "application/json",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/x-unheard-of"
    ]) {
      expect(servedType(type)).toEqual({ content_type: type, isInline: false })
    }
  })

  it("is never one that a browser executes", () => {
    for (const type of [
      "text/html",
      "TEXT/HTML; charset=utf-7",
      "application/xhtml+xml",
      "application/vnd.wap.xhtml+xml",
      "image/svg+xml",
      "image/svg",
      "text/xml",
      "application/xml",
      "application/xml-dtd",
      "application/rss+xml",
      "application/mathml+xml",
      "text/xsl",
      "application/xslt+xml",
      "text/javascript",
      "text/javascript1.5",
      "application/x-javascript",
      "application/ecmascript",
      "text/jscript",
      "text/livescript",
      "text/vbscript",
      "text/css",
      "application/wasm",
      "application/x-shockwave-flash",
      "application/manifest+json",
      "text/cache-manifest",
      "multipart/x-mixed-replace;boundary=x",
      "multipart/related",
      "message/rfc822",
      "application/x-mimearchive",
      "application/webbundle",
      "no type"
    ]) {
      expect(servedType(type), type).toEqual({ content_type: "application/octet-stream", isInline: false })
    }
  })

  it("is application/octet-stream for a harmless type whose bytes begin like a page", () => {
    for (const text of markup) {
      const spellings = [Buffer.from(text), Buffer.from(`\ufeff${text}`, "utf16le"), Buffer.from(text, "utf16le")]
      spellings.push(Buffer.from(spellings[1]!).swap16())
      for (const head of spellings) {
        for (const type of ["text/plain", "image/png"]) {
          expect(servedType(type, head), text).toEqual({ content_type: "application/octet-stream", isInline: false })
        }
      }
    }
    for (const text of ["", "plain", "a < b", "<3", "# Title\n<b>", "\x89PNG\r\n"]) {
      expect(servedType("text/plain", Buffer.from(text, "latin1")).isInline, text).toBe(true)
    }
  })
})
