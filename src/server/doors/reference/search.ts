// The script of the reference page: finds operations by words, and opens what an address points at.

/** Sent as it stands: it runs in the browser and needs nothing. */
export const searchScript = `'use strict'
const form = document.getElementById('search')
const input = document.getElementById('words')
const found = document.getElementById('found')
const operations = [...document.querySelectorAll('details.operation')].map(part => ({
  part,
  text: (part.id + ' ' + part.querySelector('summary').textContent).toLowerCase(),
}))
const areas = [...document.querySelectorAll('section.area')]

function search() {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let count = 0
  for (const { part, text } of operations) {
    part.hidden = !words.every(word => text.includes(word))
    if (!part.hidden) count++
  }
  for (const area of areas) area.hidden = !area.querySelector('details.operation:not([hidden])')
  for (const id of ['introduction', 'refusals', 'records']) document.getElementById(id).hidden = words.length > 0
  found.textContent = words.length === 0 ? '' : count === 1 ? '1 operation' : count + ' operations'
}

function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target) return
  if (target.hidden || target.closest('[hidden]')) {
    input.value = ''
    search()
  }
  const part = target.closest('details')
  if (part) part.open = true
  target.scrollIntoView()
}

form.hidden = false
form.addEventListener('submit', event => event.preventDefault())
input.addEventListener('input', search)
addEventListener('hashchange', openTarget)
openTarget()
`
