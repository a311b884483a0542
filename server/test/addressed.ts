/** An address of a route: its parameters are an id, or the name of a resource. */
export function addressed(path: string, id: string): string {
  return path.replace(':resource', 'companies').replace(/:\w+/g, id)
}
