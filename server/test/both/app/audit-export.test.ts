import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { type Browser, openBrowser, signedInMember, signIn } from '../../browser.ts'
import { runKith } from '../../run-kith.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

async function exported({ url, cookie }: Browser, path: string) {
  const response = await fetch(`${url}/api/app${path}`, { headers: { Cookie: cookie() } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** More entries than go into one part. */
async function withEntries(count: number): Promise<{ workspace: TestWorkspace; browser: Browser; email: string }> {
  const workspace = await newWorkspace()
  const { browser, email } = await signedInMember(workspace, 'admin')
  for (let i = 0; i < count; i++) {
    expect((await browser.post(`/w/${workspace.slug}/v1/companies`, { name: `Company ${i}` })).status).toBe(201)
  }
  return { workspace, browser, email }
}

describe('the export of the audit log', () => {
  it('holds every entry of the filter once, as CSV and as NDJSON', async () => {
    const { workspace, browser, email } = await withEntries(230)
    const path = `/w/${workspace.slug}/audit/export`
    const lines = await exported(browser, `${path}?format=ndjson&resource=companies`)
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
    expect(lines.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="audit-${workspace.slug}-\\d{4}-\\d\\d-\\d\\d\\.ndjson"$`),
    )
    const entries = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(entries).toHaveLength(230)
    expect(new Set(entries.map(({ record_id }) => record_id)).size).toBe(230)
    const listed = await browser.get(`/w/${workspace.slug}/audit?resource=companies&per_page=100`)
    expect(entries.slice(0, 100)).toEqual(listed.body.data)
    const csv = await exported(browser, `${path}?format=csv&resource=companies`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const rows = csv.text.trimEnd().split('\r\n')
    expect(rows[0]).toMatch(/^id,at,actor_id,actor_name,/)
    expect(rows).toHaveLength(231)
    // Without a filter it is everything: sign-ins and members, too.
    await signIn(openBrowser(), email)
    const all = (await exported(browser, `${path}?format=ndjson`)).text.trimEnd().split('\n')
    const kinds = new Set(all.map((line) => JSON.parse(line).resource))
    for (const kind of ['companies', 'members', 'sign_ins', 'workspace']) expect(kinds.has(kind), kind).toBe(true)
  })

  it('is for owners and admins, and takes a format', async () => {
    const workspace = await newWorkspace()
    const member = await signedInMember(workspace, 'member')
    const admin = await signedInMember(workspace, 'admin')
    const stranger = await signedInMember(await newWorkspace(), 'owner')
    const path = `/w/${workspace.slug}/audit/export`
    expect((await exported(member.browser, `${path}?format=csv`)).status).toBe(403)
    expect((await exported(stranger.browser, `${path}?format=csv`)).status).toBe(404)
    const wrong = await exported(admin.browser, `${path}?format=xml`)
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain('csv or ndjson')
    expect((await exported(admin.browser, `${path}?format=csv&resource=nonsense`)).status).toBe(422)
  })

  it('is written into a file by the command line', async () => {
    const { workspace } = await withEntries(120)
    const folder = await mkdtemp(join(tmpdir(), 'kith-audit-'))
    const file = join(folder, 'audit.csv')
    const { database_url: DATABASE_URL, secret: SECRET } = inject('service')
    const args = ['audit', 'export', '--workspace', workspace.slug, file]
    const ran = await runKith(args, { DATABASE_URL, SECRET })
    expect(ran.stderr + ran.code).toBe('0')
    const rows = (await readFile(file, 'utf8')).trimEnd().split('\r\n')
    expect(rows.filter((row) => row.includes(',companies,'))).toHaveLength(120)
    expect(await runKith(args, { DATABASE_URL, SECRET })).toMatchObject({
      code: 1,
      stderr: `${file} exists. Choose another name, or add --force to overwrite it.\n`,
    })
    expect(await runKith([...args, '--force'], { DATABASE_URL, SECRET })).toMatchObject({ code: 0, stderr: '' })
    expect((await runKith([...args, '--format', 'xml'], { DATABASE_URL, SECRET })).code).not.toBe(0)
    await rm(folder, { recursive: true })
  })
})
