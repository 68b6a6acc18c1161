// The command palette: pages of the menus, and whatever has an id, by keyboard. Without it the box
// in the bar and the menus do the same.
'use strict';
{
  const find = (selector, root = document) => root.querySelector(selector);
  const findAll = (selector, root = document) => [...root.querySelectorAll(selector)];
  const ID = /^[a-z]+_[a-z2-7]{26}$/;
  const make = (name, properties = {}, attributes = {}) => {
    const element = Object.assign(document.createElement(name), properties);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  // Menus say where one can go from here: the narrow one has all entries, each below its section.
  function entries() {
    let section = '';
    const found = [];
    for (const part of findAll('.narrow-menu strong, .narrow-menu a, .account nav a')) {
      if (part.matches('strong')) section = part.textContent;
      else found.push({ text: part.textContent.trim(), href: part.href, section: part.closest('.account') ? 'Account' : section });
    }
    return found;
  }

  function matching(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries().filter(({ text, section }) =>
      words.every(word => `${section} ${text}`.toLowerCase().includes(word)));
    const box = find('form.find');
    if (!text || !box) return found;
    const address = `${box.action}?${new URLSearchParams({ id: text })}`;
    return ID.test(text)
      ? [{ text: `Open ${text}`, href: address, section: 'Id' }]
      : [...found, { text: `Find “${text}”`, href: address, section: 'Searches' }];
  }

  function open() {
    const dialog = make('dialog', { className: 'palette' }, { 'aria-label': 'Command palette' });
    const input = make('input', { type: 'text', id: 'palette-text', maxLength: 200, autocomplete: 'off', spellcheck: false, placeholder: 'Go to a page, or paste an id' }, {
      'role': 'combobox', 'aria-label': 'Page or id', 'aria-expanded': 'true', 'aria-autocomplete': 'list', 'aria-controls': 'palette-list',
    });
    const list = make('ul', { id: 'palette-list' }, { 'role': 'listbox', 'aria-label': 'Pages and ids' });
    const note = make('p', { className: 'soft' }, { role: 'status' });
    let selected = 0;

    function select(place) {
      const options = [...list.children];
      selected = options.length ? (place + options.length) % options.length : 0;
      options.forEach((option, n) => option.setAttribute('aria-selected', n === selected));
      const current = options[selected];
      input.setAttribute('aria-activedescendant', current?.id ?? '');
      current?.scrollIntoView({ block: 'nearest' });
    }

    function show() {
      list.replaceChildren(...matching(input.value.trim()).map(({ text, href, section }, n) => {
        const option = make('li', { id: `palette-${n}` }, { 'role': 'option', 'data-href': href });
        option.append(make('span', { textContent: text }), ' ');
        if (section !== text) option.append(make('span', { className: 'soft', textContent: section }));
        return option;
      }));
      list.hidden = !list.children.length;
      input.setAttribute('aria-expanded', !list.hidden);
      note.textContent = list.hidden ? 'No page has this name.' : '';
      select(0);
    }

    function go(option) {
      if (!option) return;
      dialog.close();
      location.assign(option.dataset.href);
    }

    input.addEventListener('input', show);
    dialog.addEventListener('keydown', event => {
      if (event.isComposing) return;
      if (event.key === 'ArrowDown') select(selected + 1);
      else if (event.key === 'ArrowUp') select(selected - 1);
      else if (event.key === 'Enter') go(list.children[selected]);
      else return;
      event.preventDefault();
    });
    list.addEventListener('click', event => go(event.target.closest('[role=option]')));
    dialog.addEventListener('click', event => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener('close', () => dialog.remove());
    dialog.append(input, list, note);
    document.body.append(dialog);
    dialog.showModal();  // closes by Escape, and returns the focus
    input.focus();
    show();
  }

  const button = find('#open-palette');
  if (button) button.hidden = false;
  button?.addEventListener('click', open);

  const apple = /Mac|iPhone|iPad/.test(navigator.platform);
  if (button && apple) find('kbd', button).textContent = '⌘ K';

  document.addEventListener('keydown', event => {
    const combined = apple ? event.metaKey : event.ctrlKey;
    if (!combined || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return;
    if (document.body.dataset.shortcuts === 'off') return;
    const shown = find('dialog[open]');
    if (shown && !shown.matches('.palette')) return;
    event.preventDefault();
    if (shown) shown.close();
    else open();
  });

  // A plain `/` belongs to the search field of the page, where it has one (see keys.js).
  document.addEventListener('palette', open);
}
