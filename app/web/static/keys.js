// Keys: never while typing, never with a modifier; off in the settings. Pages are whole without them.
'use strict';
{
  const find = (selector, root = document) => root.querySelector(selector);
  const FIELDS = 'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])';
  const PAGES = { a: ['/'], e: ['/extractions'], c: ['/campaigns'], o: ['/ops', '/offers'], m: ['/monitors'] };
  const HELP = [
    ['Ctrl K', 'Go to a page, or open an id'], ['/', 'The search field of the page, or the same'], ['1 to 9', 'Open a citation'], ['Esc', 'Close what is open'],
    ['j, k', 'Next or previous row'], ['[, ]', 'Previous or next version'],
    ['g a, g e, g c, g o, g m', 'Ask, Extractions, Campaigns, Operations or Offers, Monitors'],
    ['?', 'This list'],
  ];
  const MENUS = 'details.account[open], details.narrow-menu[open], details.confirm[open], details.menu[open]';
  let going = 0;

  const link = path => find(`.top a[href="${path}"]`);
  const click = selector => { const target = find(selector); target?.click(); return target; };

  function closeOpen() {
    const menu = find(MENUS);
    const panel = find('[data-panel]');
    if (menu) {
      menu.open = false;
      find('summary', menu).focus();
    } else if (panel) {
      find('[data-close]', panel)?.click();
      document.getElementById(panel.dataset.return)?.focus();
    }
    return menu || panel;
  }

  function move(step) {
    const rows = [...document.querySelectorAll('[data-row]')];
    const focused = rows.findIndex(row => row.contains(document.activeElement));
    const current = focused < 0 ? rows.findIndex(row => row.hasAttribute('aria-current')) : focused;
    const next = rows[current < 0 ? (step > 0 ? 0 : rows.length - 1) : current + step];
    if (next) (find('a, button', next) ?? next).focus();
    return next;
  }

  function help() {
    const dialog = document.createElement('dialog');
    const title = Object.assign(document.createElement('h2'), { id: 'keys', textContent: 'Keyboard shortcuts' });
    const list = document.createElement('dl');
    for (const [keys, meaning] of HELP) {
      list.append(document.createElement('dt'), document.createElement('dd'));
      list.children[list.children.length - 2].append(Object.assign(document.createElement('kbd'), { textContent: keys }));
      list.lastChild.textContent = meaning;
    }
    const close = Object.assign(document.createElement('button'), { textContent: 'Close' });
    close.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => dialog.remove());
    dialog.className = 'keys';
    dialog.setAttribute('aria-labelledby', 'keys');
    dialog.append(title, list, close);
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  function press(key) {
    const soon = Date.now() - going < 1500;
    going = 0;
    if (soon && PAGES[key]) return PAGES[key].map(link).find(Boolean)?.click() ?? true;
    if (/^[1-9]$/.test(key)) return click(`[data-cite="${key}"]`);
    switch (key) {
      case '/': {
        const field = find('[data-search]') ?? find('input[type=search]');
        if (field) field.focus();
        else document.dispatchEvent(new Event('palette'));
        return true;
      }
      case 'j': return move(1);
      case 'k': return move(-1);
      case '[': return click('[data-previous]');
      case ']': return click('[data-next]');
      case 'g': going = Date.now(); return true;
      case '?': return help();
      default: return null;
    }
  }

  document.addEventListener('keydown', event => {
    const composing = event.isComposing || ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph'));
    if (composing || event.metaKey || find('dialog[open]')) return;
    if (event.key === 'Escape' && !event.target.matches(FIELDS)) { if (closeOpen()) event.preventDefault(); return; }
    if (document.body.dataset.shortcuts === 'off' || event.target.matches(FIELDS)) return;
    if (press(event.key)) event.preventDefault();
  });
}
