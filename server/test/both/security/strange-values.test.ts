import { expect, inject, it } from 'vitest'
import { signedInMember } from '../../browser.ts'
import { newWorkspace } from '../../workspace.ts'

/** Far too deep for the stack of a recursive writer. */
const deep = (open: string, close: string) => `${open.repeat(20_000)}1${close.repeat(20_000)}`
const deepList = deep('[', ']')
/** What cannot be made a text by asking for it. */
const wordless = '{"toString":1,"valueOf":1}'

it.each([
  ['resource', `{"name":"get_record","arguments":{"resource":${wordless},"id":"x"}}`, '- resource: '],
  ['measure', `{"name":"summarize","arguments":{"resource":"people","measure":${wordless}}}`, '- measure: '],
  [
    'group_by',
    `{"name":"summarize","arguments":{"resource":"people","measure":"count","group_by":${deepList}}}`,
    'nested',
  ],
  [
    'attributes under a key',
    `{"name":"create_record","arguments":{"resource":"people","idempotency_key":"k","attributes":{"name":${deepList}}}}`,
    'nested',
  ],
  [
    'the id of an option',
    `{"name":"update_field","arguments":{"resource":"companies","code":"icp","options":[{"id":${wordless},"label":"x"}]}}`,
    '- ',
  ],
])('a tool refuses %s of a strange kind by its name', async (_, params, told) => {
  const { api } = await newWorkspace()
  const response = await fetch(`${inject('service').url}/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  })
  expect(response.status).toBe(200)
  const { result } = await response.json()
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toContain(told)
})

it('the application gets the same', async () => {
  const workspace = await newWorkspace()
  const { browser } = await signedInMember(workspace, 'owner')
  const at = `/w/${workspace.slug}`
  const history = await browser.get(`${at}/activity?resource=companies&record_id[x]=1`)
  expect(history.status, history.text).toBe(404)
  const view = await browser.send(
    'POST',
    `${at}/views`,
    `{"name":"x","resource":"companies","state":{"a":${deepList}}}`,
  )
  expect([view.status, view.body.errors?.state], view.text).toEqual([
    422,
    ['The state must not be nested deeper than 100 levels.'],
  ])
  const summary = await browser.send('POST', `${at}/v1/people/summary`, `{"measure":"count","group_by":${deepList}}`)
  expect([summary.status, Object.keys(summary.body.errors ?? {})], summary.text.slice(0, 300)).toEqual([
    422,
    ['group_by.0'],
  ])
  const consent = await browser.send(
    'POST',
    '/oauth/consent',
    `{"query":"client_id=x","accept":true,"workspace":"${workspace.slug}","abilities":[${wordless}]}`,
  )
  expect(consent.status, consent.text).toBe(404)
})
