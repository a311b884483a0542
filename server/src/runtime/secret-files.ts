import { readFileSync } from 'node:fs'

/** Secret settings. Each can also be read from a file, named by `NAME_FILE`. */
export const SECRET_NAMES: readonly string[] = [
  'SECRET',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_PRICE_ID',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OIDC_CLIENT_SECRET',
]

type Outcome = { values: Record<string, string>; problems: string[] }

export function readSecretFiles(env: Readonly<Record<string, string | undefined>>): Outcome {
  const outcome: Outcome = { values: {}, problems: [] }
  for (const name of SECRET_NAMES) {
    const path = env[`${name}_FILE`]
    if (path === undefined) continue
    if (env[name] !== undefined) {
      outcome.problems.push(`${name}: given both as ${name} and as ${name}_FILE. Only one of them is accepted.`)
      continue
    }
    const content = contentOf(path)
    if (content.problem === undefined) outcome.values[name] = content.text
    else outcome.problems.push(`${name}_FILE: ${content.problem} It must be the path of a file that holds the value.`)
  }
  return outcome
}

function contentOf(path: string): { text: string; problem?: undefined } | { problem: string } {
  try {
    const text = readFileSync(path, 'utf8').trim()
    return text === '' ? { problem: `${path} is empty.` } : { text }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { problem: `${path} could not be read (${code}).` }
  }
}
