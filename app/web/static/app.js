// What pages do beyond links and forms: every page is whole without it.
'use strict';
{
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  const body = document.body;
  const TEXTS = 'textarea, input:not([type=checkbox], [type=radio])';
  const FIELDS = `select, ${TEXTS}`;

  // Announcements: seen at the lower edge, read by screen readers.
  let forgetting;
  function announce(text) {
    const place = find('#announcement');
    if (!place) return;
    place.textContent = text;
    clearTimeout(forgetting);
    forgetting = setTimeout(() => { place.textContent = ''; }, 5000);
  }

  // Copying.
  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = Object.assign(document.createElement('textarea'), { value: text });
    const before = document.activeElement;
    (find('dialog[open]') ?? body).append(area);  // plain HTTP: the old way
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    before?.focus();
    if (!done) throw new Error('not allowed');
  }

  document.addEventListener('click', event => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    copy(button.dataset.copy).then(
      () => announce('Copied'),
      () => announce('The browser did not allow copying. Select the text and copy it.'));
  });

  document.addEventListener('click', event => {
    if (event.target.closest('[data-print]')) print();
  });

  // Live regions wait while the reader is at work in them, away, or has paused them.
  const PAUSED = 'citegrid-paused';
  let paused = false;
  let missed = false;

  const typed = root => findAll(TEXTS, root).some(field => field.value !== field.defaultValue);

  function atWork(region) {
    const selection = getSelection();
    const selecting = selection && !selection.isCollapsed && region.contains(selection.anchorNode);
    const typing = region.contains(document.activeElement) && document.activeElement.matches(FIELDS);
    return selecting || typing || typed(region) || find('dialog[open], details[open], input:checked', region);
  }

  // The state and the buttons above are put in together with a region.
  const inTheWay = region => [region, ...findAll('#page-actions, #page-status')].some(atWork);

  function setPaused(pause) {
    paused = pause;
    body.toggleAttribute('data-paused', pause);
    find('#pause-live')?.setAttribute('aria-pressed', pause);
    try { sessionStorage.setItem(PAUSED, pause ? 'yes' : ''); } catch { /* only remembered */ }
  }

  find('#pause-live')?.addEventListener('click', () => {
    setPaused(!paused);
    announce(paused ? 'Live updates paused' : 'Live updates resumed');
    if (!paused && missed) location.reload();
  });

  // Without a session a region leads to the page to sign in. A form is sent first: it waits there.
  document.addEventListener('htmx:beforeOnLoad', event => {
    const live = event.detail.elt.matches('[data-live]');
    if (live && event.detail.xhr.status === 401 && typed(document)) event.preventDefault();
  });

  // What a link could not put in is opened as a page, which says why.
  document.addEventListener('htmx:responseError', event => {
    if (event.detail.elt.href) location.assign(event.detail.elt.href);
  });

  // After three failures a region is asked for every 30 seconds, and the page says how old it is.
  const TROUBLES = {
    401: 'Your session has ended. Send your form, and sign in to keep what you typed.',
    404: 'Not found. It may have been deleted.',
  };
  const states = new WeakMap();
  function stateOf(region) {
    if (!states.has(region)) states.set(region, { failures: 0, updated: Date.now(), asked: 0 });
    return states.get(region);
  }

  document.addEventListener('htmx:beforeRequest', event => {
    const region = event.target;
    if (!region.matches('[data-live]')) return;
    const state = stateOf(region);
    const soon = state.failures >= 3 && Date.now() - state.asked < 30000;
    if (paused || document.hidden || soon || inTheWay(region)) event.preventDefault();
    else state.asked = Date.now();
  });

  document.addEventListener('htmx:configRequest', event => {
    const known = event.target.matches('[data-live]') && stateOf(event.target).version;
    if (known) event.detail.headers['If-None-Match'] = known;
  });

  document.addEventListener('htmx:beforeSwap', event => {
    const region = event.detail.elt;
    if (!region?.matches('[data-live]')) return;
    const changed = event.detail.xhr.status !== 304;
    // Whoever paused, or began to select or type, while the answer was on its way keeps the page.
    if (!changed || paused || inTheWay(region)) event.detail.shouldSwap = false;
    else stateOf(region).version = event.detail.xhr.getResponseHeader('ETag');
  });

  document.addEventListener('htmx:afterRequest', event => {
    const region = event.detail.elt;
    if (!region?.matches('[data-live]')) return;
    const state = stateOf(region);
    const status = event.detail.xhr?.status ?? 0;
    const well = status >= 200 && status < 400;
    state.failures = well ? 0 : state.failures + 1;
    state.trouble = TROUBLES[status];
    if (well) state.updated = Date.now();
    showConnection();
  });

  function showConnection() {
    const broken = findAll('[data-live]').map(stateOf).filter(state => state.failures >= 3);
    let note = find('#connection');
    if (!broken.length) return note?.remove();
    if (!note) {
      note = Object.assign(document.createElement('span'), { id: 'connection', role: 'status' });
      note.className = 'chip warn';
      (find('.status') ?? find('main')).append(note);
    }
    const age = Date.now() - Math.min(...broken.map(state => state.updated));
    const trouble = broken.map(state => state.trouble).find(Boolean);
    note.textContent = trouble ?? `Last updated ${elapsed(age)} ago. Reconnecting`;
  }

  document.addEventListener('htmx:sseBeforeMessage', event => {
    if (!paused) return;
    missed = true;
    event.preventDefault();
  });

  // Time that passes: <span data-since="2026-11-22T15:04:05Z">.
  function elapsed(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000));
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }

  setInterval(() => {
    if (document.hidden) return;
    if (find('#connection')) showConnection();
    for (const counter of paused ? [] : findAll('[data-since]'))
      counter.textContent = elapsed(Date.now() - Date.parse(counter.dataset.since));
  }, 1000);

  // Operations were once on one page: their old fragments lead on to the page of their area.
  if (location.pathname === '/docs' && location.hash)
    document.getElementById(location.hash.slice(1))?.matches('li') &&
      location.replace(find('a', document.getElementById(location.hash.slice(1))).href);

  // What only works with scripts appears, and an opened panel gets the focus.
  function prepare() {
    for (const button of findAll(':is([data-copy], [data-print])[hidden]')) button.hidden = false;
    const button = find('#pause-live');
    if (button) button.hidden = !find('[data-live], [sse-connect]');
  }

  document.addEventListener('htmx:afterSwap', event => {
    prepare();
    if (event.target.matches('[data-live]')) return;
    const panel = find('[data-panel]');
    for (const marker of findAll('.cite[aria-expanded]'))
      marker.setAttribute('aria-expanded', marker.id === panel?.dataset.return);
    if (event.target.id === 'panel') find('h2', panel ?? event.target)?.focus();
  });

  try { setPaused(sessionStorage.getItem(PAUSED) === 'yes'); } catch { /* not remembered */ }
  prepare();
}
