import { shuffled } from './chance.ts'
import { type Company, type Draft, laterOrSame, type Wanted } from './made.ts'
import { companyKinds, companyWords, regions } from './words.ts'

/** From a handful of people to thousands. Most companies are small. */
const EMPLOYEES_LEAST = 4
const EMPLOYEES_SPREAD = 2000

export function draftCompany(wanted: Wanted): Draft {
  const { made, chance, id, at, number, isLater } = wanted
  const name = companyName(number, wanted.seed)
  const handle = name.toLowerCase().replaceAll(' ', '')
  // The seed of an earlier load may have selected the same name.
  const unique = isLater ? `${handle}-${number}` : handle
  const domain = `${unique}.example`
  const employees = Math.floor(EMPLOYEES_LEAST * EMPLOYEES_SPREAD ** chance.fraction())
  const company: Company = { id, at, number, name, domain, employees, people: 0, deals: 0, contacts: [] }
  if (wanted.isRemembered) made.companies.push(company)
  return {
    label: name,
    updated: laterOrSame(wanted),
    related: { account_owner_id: chance.oneIn(2) ? [made.user_id] : [] },
    values: {
      domains: { Domains: [domain] },
      linkedin: { Links: [`https://www.linkedin.com/company/${unique}`] },
      employees: { Number: employees },
    },
  }
}

const words = companyWords.length
const names = words * (words - 1) * companyKinds.length

/** Two different words and what the company does. Where these are used up, also the region or a number. */
export function companyName(number: number, seed: number): string {
  const place = shuffled(number % names, names, seed)
  const pair = Math.floor(place / companyKinds.length)
  const first = Math.floor(pair / (words - 1))
  const second = (first + 1 + (pair % (words - 1))) % words
  const name = `${companyWords[first]} ${companyWords[second]} ${companyKinds[place % companyKinds.length]}`
  const round = Math.floor(number / names)
  return round === 0 ? name : `${name} ${regions[round - 1] ?? round}`
}
