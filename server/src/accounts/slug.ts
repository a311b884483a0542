const SLUG = /^[a-z0-9][a-z0-9-]{1,49}$/
const STEM_MAX = 44

/** Reserved for paths of the application. */
const RESERVED = new Set(
  `about account accounts admin api app assets auth billing blog contact dashboard docs files guide health healthz
  forgot-password help home internal invitation invitations invite invites join kith legal login logout mail mcp
  metrics new new-workspace null oauth openapi ping pricing privacy private profile public readyz register reset
  reset-password robots root search security settings set-up setup sign-in sign-out sign-up signin
  signout signup sitemap static status support system terms undefined user users v1 v2 v3 webhook webhooks
  well-known workspace workspaces www`.split(/\s+/),
)

/** The problem with a chosen slug, or undefined. */
export function slugProblem(slug: string): string | undefined {
  if (!SLUG.test(slug)) {
    return 'The slug must have 2 to 50 characters: small letters, digits and dashes, not beginning with a dash.'
  }
  return RESERVED.has(slug) ? `The slug ${slug} is reserved.` : undefined
}

/** Derives a slug from a name. Only Latin letters and digits are kept. */
export function slugStem(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const stem = plain.replace(/^-+/, '').slice(0, STEM_MAX).replace(/-+$/, '')
  return stem.length < 2 ? 'team' : stem
}

/** The stem itself, or the first of stem-2, stem-3 … that is neither taken nor reserved. */
export function freeSlug(stem: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? stem : `${stem}-${number}`
    if (!taken.has(slug) && !RESERVED.has(slug)) return slug
  }
}
