import { writeFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openApiDocument } from '../server/src/http/openapi/document.ts'

/** What is wrong with an OpenAPI document: references to nothing, parts that nothing uses, and more. */
export async function problemsIn(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document, null, 2)
  const found = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return found.map(({ ruleId, message, location }) => `${location[0]?.pointer}: ${message} (${ruleId})`)
}

/** Writes docs/openapi.json from the service's own description, unless there is a problem. */
if (import.meta.main) {
  // As an installation serves it: the rules do not like the localhost of the file.
  const problems = await problemsIn(openApiDocument('https://crm.acme.com/api'))
  if (problems.length === 0) {
    writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(openApiDocument(), null, 2)}\n`)
  } else {
    console.error(`docs/openapi.json is not written:\n\n${problems.join('\n')}`)
    process.exitCode = 1
  }
}
