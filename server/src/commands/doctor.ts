import { BadConfig } from '../runtime/secret.ts'
import { defineCommand } from './command.ts'
import { examine, type Finding } from './doctor-checks.ts'

const marks = { ok: 'ok      ', advice: 'advice  ', problem: 'PROBLEM ' } as const

export const doctor = defineCommand({
  about: 'Check settings, database, disk, clock, mail, proxy, backups and version. Fails if there is a problem.',
  options: {
    backups: { value: 'FOLDER', about: 'Where the backups are; /var/backups/kith or ./backups by default.' },
  },
  async run(values, context) {
    const findings: Finding[] = []
    try {
      const { config } = context
      const patient = { config, environment: context.environment(), now: context.now, ...values }
      for await (const finding of examine(patient)) findings.push(finding)
    } catch (error) {
      if (!(error instanceof BadConfig)) throw error
      findings.push(...error.problems.map((text): Finding => ({ check: 'settings', state: 'problem', text })))
    }
    const failed = findings.some(({ state }) => state === 'problem')
    return { text: findings.map(lineOf).join('\n'), json: findings, failed }
  },
})

function lineOf({ check, state, text, remedy }: Finding): string {
  const line = `${marks[state]} ${check.padEnd(9)} ${text}`
  return remedy === undefined ? line : `${line}\n${' '.repeat(19)}${remedy}`
}
