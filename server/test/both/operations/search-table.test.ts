import { beforeAll, describe, expect, it } from 'vitest'
import { searchRecords } from '../../../src/records/search.ts'
import { made } from '../../records.ts'
import { newWorkspace, type TestWorkspace } from '../../workspace.ts'

let workspace: TestWorkspace

/** Each is newer than the one before. */
const people: readonly [name: string, custom_fields?: object][] = [
  ['Ada Byron', { emails: ['ada.byron@mail.acme.com'], phone_number: ['+14155550100'] }],
  ['Zoë Müller-Lüdenscheidt', { emails: ['zm@example.de'] }],
  ['Seán O’Brien', { phone_number: ['+493012345678'] }],
  ['J.R.R. Tolkien'],
  ['Łukasz Żółć'],
  ['Søren Kierkegaard'],
  ['Groß Straße'],
  ['Maple Onyx'],
  ['Maple Fern'],
  ['Onyx Maple Grove'],
  ['李小龙'],
  ['田中 太郎'],
  ['Фёдор Достоевский', { job_title: 'Писатель' }],
  ['Αλέξανδρος Παπαδόπουλος'],
  ['محمد علي'],
  ['Ａｄａ　Ｗｉｄｅ'],
  ['Jean-Luc Picard', { job_title: 'Captain of NCC-1701' }],
  ['İstanbul Işık'],
  ['Anna', { emails: ['adabyron99@gmail.com'] }],
  ['Ann'],
  ['Joanna Smith'],
  ['Nguyễn Thị Minh Khai'],
  ['D’Angelo "Dee" Barksdale'],
]
const companies: readonly [name: string, custom_fields?: object][] = [
  ['AT&T', { domains: ['att.example'] }],
  ['3M'],
  ['7-Eleven'],
  ['!!!'],
  ['Studio 54', { domains: ['studio54.example'] }],
  ['🦄 Unicorn Labs'],
  ['株式会社東京電力'],
  ['100% Pure_Juice'],
  ['Crédit Agricole S.A.', { domains: ['credit-agricole.co.uk'], linkedin: ['https://www.linkedin.com/company/ca'] }],
  ['Byron & Ada Trading'],
]

beforeAll(async () => {
  workspace = await newWorkspace()
  const { api } = workspace
  await workspace.field('people', { name: 'Labels', type: 'tags-input' })
  for (const [name, custom_fields = {}] of people) await made(api, 'people', { name, custom_fields })
  for (const [name, custom_fields = {}] of companies) await made(api, 'companies', { name, custom_fields })
  await made(api, 'people', { name: 'Tagged Person', custom_fields: { labels: ['VIP', 'Señor dev'] } })
  await made(api, 'opportunities', { name: 'Renewal 2026' })
  await made(api, 'tasks', { title: 'Call +1 (415) 555-0199 about 2026-11-14' })
  await made(api, 'notes', {
    title: 'Minutes',
    custom_fields: { body: '# Quarterly\n\nWe discussed **zebras** and Zoë.' },
  })
})

/** What is typed, and what is found, the best match first. */
const table: readonly [query: string, ...names: string[]][] = [
  // Any order of words, and all of them.
  ['Byron Ada', 'Byron & Ada Trading', 'Ada Byron', 'Anna'],
  ['ada byron', 'Ada Byron', 'Byron & Ada Trading', 'Anna'],
  ['maple onyx', 'Maple Onyx', 'Onyx Maple Grove'],
  ['onyx maple', 'Onyx Maple Grove', 'Maple Onyx'],
  ['maple', 'Maple Fern', 'Maple Onyx', 'Onyx Maple Grove'],
  ['maple fern', 'Maple Fern'],
  ['maple oak'],
  ['grove onyx maple', 'Onyx Maple Grove'],
  ['  maple   FERN ', 'Maple Fern'],
  ['fern fern', 'Maple Fern'],
  // The best match first.
  ['ann', 'Ann', 'Anna', 'Joanna Smith'],
  ['anna', 'Anna', 'Joanna Smith'],
  ['smith', 'Joanna Smith'],
  // Accents, and letters that are not accents.
  ['zoe', 'Zoë Müller-Lüdenscheidt', 'Minutes'],
  ['ZOË', 'Zoë Müller-Lüdenscheidt', 'Minutes'],
  ['zoe\u0308', 'Zoë Müller-Lüdenscheidt', 'Minutes'],
  ['muller', 'Zoë Müller-Lüdenscheidt'],
  ['ludenscheidt zoe', 'Zoë Müller-Lüdenscheidt'],
  ['mueller'],
  ['lukasz', 'Łukasz Żółć'],
  ['zolc', 'Łukasz Żółć'],
  ['ŻÓŁĆ', 'Łukasz Żółć'],
  ['soren', 'Søren Kierkegaard'],
  ['kierkegaard søren', 'Søren Kierkegaard'],
  ['gross', 'Groß Straße'],
  ['STRASSE', 'Groß Straße'],
  ['straße', 'Groß Straße'],
  ['nguyen thi', 'Nguyễn Thị Minh Khai'],
  ['khai nguyễn', 'Nguyễn Thị Minh Khai'],
  ['istanbul isik', 'İstanbul Işık'],
  ['ışık', 'İstanbul Işık'],
  ['credit', 'Crédit Agricole S.A.'],
  ['crédit sa', 'Crédit Agricole S.A.'],
  ['senor', 'Tagged Person'],
  // Punctuation.
  ["o'brien", 'Seán O’Brien'],
  ['o’brien', 'Seán O’Brien'],
  ['obrien', 'Seán O’Brien'],
  ['o brien sean', 'Seán O’Brien'],
  ['jrr tolkien', 'J.R.R. Tolkien'],
  ['j.r.r. tolkien', 'J.R.R. Tolkien'],
  ['tolkien j', 'J.R.R. Tolkien'],
  ['jean luc', 'Jean-Luc Picard'],
  ['jean-luc', 'Jean-Luc Picard'],
  ['jeanluc', 'Jean-Luc Picard'],
  ['picard,jean', 'Jean-Luc Picard'],
  ['dangelo', 'D’Angelo "Dee" Barksdale'],
  ['"dee"', 'D’Angelo "Dee" Barksdale'],
  ['at&t', 'AT&T'],
  ['att', 'AT&T'],
  ['3m', '3M'],
  ['7eleven', '7-Eleven'],
  ['7 eleven', '7-Eleven'],
  ['eleven 7', '7-Eleven'],
  ['!!!', '!!!'],
  ['!!', '!!!'],
  ['???'],
  ['100%', '100% Pure_Juice', 'Ada Byron'],
  ['pure_juice', '100% Pure_Juice'],
  ['juice', '100% Pure_Juice'],
  ['%'],
  ['_'],
  ["'; drop table people --"],
  ['s.a.', 'Crédit Agricole S.A.'],
  ['agricole sa', 'Crédit Agricole S.A.'],
  // Other scripts, with and without spaces, and the width of letters.
  ['李', '李小龙'],
  ['小龙', '李小龙'],
  ['李小龙', '李小龙'],
  ['龙小'],
  ['東京', '株式会社東京電力'],
  ['東京 株式', '株式会社東京電力'],
  ['電', '株式会社東京電力'],
  ['太郎 田中', '田中 太郎'],
  ['достоевский', 'Фёдор Достоевский'],
  ['ФЕДОР', 'Фёдор Достоевский'],
  ['до', 'Фёдор Достоевский'],
  ['писатель', 'Фёдор Достоевский'],
  ['αλεξανδρος', 'Αλέξανδρος Παπαδόπουλος'],
  ['ΠΑΠΑΔΟΠΟΥΛΟΣ', 'Αλέξανδρος Παπαδόπουλος'],
  ['محمد', 'محمد علي'],
  ['مُحَمَّد', 'محمد علي'],
  ['ada wide', 'Ａｄａ　Ｗｉｄｅ'],
  ['ｗｉｄｅ', 'Ａｄａ　Ｗｉｄｅ'],
  ['🦄', '🦄 Unicorn Labs'],
  ['unicorn', '🦄 Unicorn Labs'],
  // Addresses, and parts of them.
  ['ada.byron@mail.acme.com', 'Ada Byron'],
  ['ada.byron@', 'Ada Byron', 'Byron & Ada Trading', 'Anna'],
  ['@mail.acme', 'Ada Byron'],
  ['acme.co', 'Ada Byron'],
  ['mail.acme.com', 'Ada Byron'],
  ['byron acme', 'Ada Byron'],
  ['byron99', 'Anna'],
  ['gmail.com', 'Anna'],
  ['example.de', 'Zoë Müller-Lüdenscheidt'],
  ['https://www.att.example/about', 'AT&T'],
  ['www.att.example', 'AT&T'],
  ['credit-agricole.co.uk', 'Crédit Agricole S.A.'],
  ['agricole.co', 'Crédit Agricole S.A.'],
  ['https://www.linkedin.com/company/ca', 'Crédit Agricole S.A.'],
  ['linkedin', 'Crédit Agricole S.A.'],
  // Numbers, and parts of them.
  ['+1 (415) 555-0100', 'Ada Byron'],
  ['001 415 555 0100', 'Ada Byron'],
  ['4155550100', 'Ada Byron'],
  ['555 01', 'Call +1 (415) 555-0199 about 2026-11-14', 'Ada Byron'],
  ['555-0199', 'Call +1 (415) 555-0199 about 2026-11-14'],
  ['030 1234 5678', 'Seán O’Brien'],
  ['+49 (0)30 12345', 'Seán O’Brien'],
  ['030/12345678', 'Seán O’Brien'],
  ['12345', 'Seán O’Brien'],
  ['555 0200'],
  ['1701', 'Jean-Luc Picard'],
  ['ncc 1701', 'Jean-Luc Picard'],
  ['54 studio', 'Studio 54'],
  ['studio54', 'Studio 54'],
  ['2026', 'Call +1 (415) 555-0199 about 2026-11-14', 'Renewal 2026'],
  ['2026 renewal', 'Renewal 2026'],
  // Tags and texts.
  ['vip', 'Tagged Person'],
  ['dev vip person', 'Tagged Person'],
  ['captain', 'Jean-Luc Picard'],
  ['zebra', 'Minutes'],
  ['minutes quarterly', 'Minutes'],
  // One and two letters begin a word.
  ['du'],
  ['ch'],
  ['x'],
  ['gr ma', 'Onyx Maple Grove'],
  ['n t m k', 'Nguyễn Thị Minh Khai'],
]

async function found(query: string): Promise<string[]> {
  const { data } = await searchRecords(await workspace.scope(), { query, per_page: 100 })
  return data.map(({ name }) => name)
}

describe('search finds', () => {
  it.each(table)('%s', async (query, ...names) => {
    expect(await found(query)).toEqual(names)
  })
})
