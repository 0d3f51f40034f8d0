declare module "postject" {
  /** Adds a resource to an executable file (https://github.com/nodejs/postject). */
  export const inject: (
    filename: string,
    resourceName: string,
    resourceData: Buffer,
    options: { readonly sentinelFuse: string }
  ) => Promise<void>
}
