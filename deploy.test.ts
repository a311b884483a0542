import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { read } from './scripts/source-files.ts'

const SYSTEMD = '/usr/bin/systemd-analyze'

describe('the files for operators', () => {
  it('start the service with the same flags as npm start', () => {
    const flagsIn = (text: string) => text.match(/--(max|heap)-[a-z-]+=\d+/g)
    const { scripts } = JSON.parse(read('package.json'))
    expect(flagsIn(scripts.start)).toHaveLength(2)
    expect(flagsIn(read('deploy/kith'))).toEqual(flagsIn(scripts.start))
    expect(read('deploy/kith.service')).toContain('ExecStart=/opt/kith/current/kith serve\n')
    expect(read('Dockerfile')).toContain('CMD ["/kith/kith", "serve"]\n')
  })

  it.each(['prometheus-rules.yaml', 'grafana-dashboard.json'])('name metrics that exist: %s', (file) => {
    const known = read('server/src/runtime/metrics.ts')
    const names = read(`deploy/${file}`).match(/\bkith_[a-z_]+/g) ?? []
    const bare = new Set(names.map((name) => name.replace(/_(count|bucket|sum)$/, '')))
    expect(bare.size).toBeGreaterThan(2)
    expect([...bare].filter((name) => !known.includes(`'${name}'`))).toEqual([])
  })

  it('have a Dockerfile that installs packages before it copies the source, has one Node, and runs as no root', () => {
    const [build = '', image = ''] = read('Dockerfile')
      .split(/^FROM /m)
      .slice(1)
    expect(build.indexOf('npm ci')).toBeGreaterThan(build.indexOf('COPY package.json package-lock.json'))
    expect(build.indexOf('COPY . .')).toBeGreaterThan(build.indexOf('npm ci'))
    const { workspaces } = JSON.parse(read('package.json'))
    for (const name of workspaces) expect(build).toContain(`COPY ${name}/package.json ${name}/\n`)
    expect(image).toMatch(/^debian:/)
    expect(image).toMatch(/^USER (?!root)/m)
    expect(image).toMatch(/^HEALTHCHECK /m)
  })

  it.runIf(existsSync(SYSTEMD)).each(['kith.service', 'kith-backup.service'])(
    'are a unit that gives little away: %s',
    (name) => {
      const args = ['security', '--offline=true', '--threshold=40', '--no-pager', `deploy/${name}`]
      expect(execFileSync(SYSTEMD, args, { encoding: 'utf8' })).toMatch(/Overall exposure level for .*: [0-3]\.\d /)
    },
  )
})
