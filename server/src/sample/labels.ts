import type { ResourceName } from '@kith/contract/resource'
import type { Chance } from './chance.ts'
import { companyKinds, companyWords, firstNames, lastNames, noteTitles, taskVerbs } from './words.ts'

/** A made-up name or title for a record. */
export function labelOf(type: ResourceName, chance: Chance): string {
  switch (type) {
    case 'people':
      return person(chance)
    case 'opportunities':
      return `${company(chance)}: ${chance.pick(['new business', 'renewal', 'expansion', 'pilot'])}`
    case 'tasks':
      return `${chance.pick(taskVerbs)} ${person(chance)}`
    case 'notes':
      return `${chance.pick(noteTitles)}: ${company(chance)}`
    default:
      return company(chance)
  }
}

function company(chance: Chance): string {
  return `${chance.pick(companyWords)} ${chance.pick(companyWords)} ${chance.pick(companyKinds)}`
}

function person(chance: Chance): string {
  return `${chance.pick(firstNames)} ${chance.pick(lastNames)}`
}
