/**
 * Runs of things side by side, and the texts that a person reads in them. `{}` stands for something that stays, such as a formula.
 * @type {[string, string[]][]}
 */
export const JUDGED = [
  // Forms.
  [
    "<p><label>First name</label> <input> <small>As in your passport</small></p>",
    ["First name", "As in your passport"],
  ],
  [
    "<p><label>Country <select><option>Norway</option><option>Spain</option></select></label></p>",
    ["Country", "Norway", "Spain"],
  ],
  [
    "<p><input type=checkbox> Send me letters <input type=checkbox> Call me by telephone</p>",
    ["Send me letters", "Call me by telephone"],
  ],
  [
    "<p><input type=radio> Small <input type=radio> Medium <input type=radio> Very large</p>",
    ["Small", "Medium", "Very large"],
  ],
  ["<p>Remind me in <input size=2> days if nobody answers.</p>", ["Remind me in {} days if nobody answers."]],
  ["<p>Street: <input> Town: <input></p>", ["Street:", "Town:"]],
  [
    "<p><button>Save</button> <button>Cancel</button> <a href=#>Delete this account</a></p>",
    ["Save", "Cancel", "Delete this account"],
  ],
  [
    "<p><label for=a>Password</label> <input id=a> <a href=#>Have you forgotten it?</a></p>",
    ["Password", "Have you forgotten it?"],
  ],
  [
    "<fieldset><legend>Delivery</legend><label><input type=radio> By post</label> <label><input type=radio> I will come myself</label></fieldset>",
    ["Delivery", "By post", "I will come myself"],
  ],
  ["<p>Pay within <b>ten days</b> of the order.</p>", ["Pay within ten days of the order."]],
  // Menus and lists.
  ["<nav><a href=#>Home</a> <a href=#>Our team</a> <a href=#>Contact</a></nav>", ["Home", "Our team", "Contact"]],
  ["<nav><a href=#>home</a> <a href=#>about us</a> <a href=#>contact</a></nav>", ["home", "about us", "contact"]],
  [
    "<p><a href=#>Home</a> › <a href=#>Garden</a> › <span>Chairs and tables</span></p>",
    ["Home", "Garden", "Chairs and tables"],
  ],
  [
    "<p><span>Sort by</span> <a href=#>Price</a> <a href=#>Name</a> <a href=#>Newest first</a></p>",
    ["Sort by", "Price", "Name", "Newest first"],
  ],
  ["<ul><li>Bread and butter</li><li>Milk <b>from the farm</b></li></ul>", ["Bread and butter", "Milk from the farm"]],
  [
    "<ul style='display:flex'><li style='display:inline'>News</li> <li style='display:inline'>Weather</li></ul>",
    ["News", "Weather"],
  ],
  ["<p><a href=#>12 comments</a> <a href=#>Share</a> <a href=#>Report</a></p>", ["12 comments", "Share", "Report"]],
  [
    "<footer><span>Terms of use</span> <span>Privacy</span> <span>Imprint</span></footer>",
    ["Terms of use", "Privacy", "Imprint"],
  ],
  // Badges and facts.
  ["<p><span class=badge>New</span> <span>Only this week</span></p>", ["New", "Only this week"]],
  [
    "<p><span>By our reporter</span> <time>Last Tuesday</time> <span>Science</span></p>",
    ["By our reporter", "Last Tuesday", "Science"],
  ],
  [
    "<p><strong>Price:</strong> twenty euros <strong>Weight:</strong> two pounds</p>",
    ["Price: twenty euros", "Weight: two pounds"],
  ],
  ["<p><em>Bug</em><em>Help wanted</em><em>Good first issue</em></p>", ["Bug", "Help wanted", "Good first issue"]],
  ["<p><b>Open</b> <i>Closed</i></p>", ["Open", "Closed"]],
  [
    "<p><span style='display:inline-block'>Free delivery</span> <span style='display:inline-block'>Two years of guarantee</span></p>",
    ["Free delivery", "Two years of guarantee"],
  ],
  [
    "<div style='display:flex'><span>the first price</span><span>the second price</span></div>",
    ["the first price", "the second price"],
  ],
  [
    "<div style='display:grid;grid-template-columns:1fr 1fr'><b>Name</b><i>of the street</i></div>",
    ["Name", "of the street"],
  ],
  ["<div style='display:flex'>We have room for <b>twelve guests</b></div>", ["We have room for", "twelve guests"]],
  [
    "<dl><dt>Opening hours</dt><dd>Every day</dd><dt>Entry</dt><dd>Free for children</dd></dl>",
    ["Opening hours", "Every day", "Entry", "Free for children"],
  ],
  [
    "<table><tr><th>Month<th>Number of guests<tr><td>May<td>None at all</table>",
    ["Month", "Number of guests", "May", "None at all"],
  ],
  // Sentences.
  ["<p>We <b>never</b> sell <a href=#>your data</a> to <i>anybody</i>.</p>", ["We never sell your data to anybody."]],
  ["<p><a href=#>The Guardian</a> wrote about it.</p>", ["The Guardian wrote about it."]],
  ["<p><b>Warning:</b> the water is very hot.</p>", ["Warning: the water is very hot."]],
  ["<p>Read <a href=#>The Times</a> every morning.</p>", ["Read The Times every morning."]],
  ["<p><span>The sun</span> <span>shines</span> <span>on the roof.</span></p>", ["The sun shines on the roof."]],
  [
    "<p>You can <span style='display:inline-block'>pay the bill</span> on every day of the week.</p>",
    ["You can pay the bill on every day of the week."],
  ],
  ["<p><b>The end is near.</b> <i>Nobody knows when.</i></p>", ["The end is near. Nobody knows when."]],
  ["<p>Our shop is closed<br>from Monday to Friday.</p>", ["Our shop is closed\nfrom Monday to Friday."]],
  ["<p>Text before <span>a part <b>in bold</b></span> and after it.</p>", ["Text before a part in bold and after it."]],
  [
    "<div>The first line.<div>A block inside.</div>The last line.</div>",
    ["The first line.", "A block inside.", "The last line."],
  ],
  [
    "<p>Read more<span style='position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)'> about the old bridge</span></p>",
    ["Read more about the old bridge"],
  ],
  [
    "<p><span style='float:right'>Advertisement</span>The house belongs to my brother.</p>",
    ["Advertisement", "The house belongs to my brother."],
  ],
  ["<p><a href=#>Peter</a> and <a href=#>Mary</a> like this.</p>", ["Peter and Mary like this."]],
  ["<p>Written by <a href=#>Anna Smith</a></p>", ["Written by Anna Smith"]],
  ["<p>Click <img alt='' width=9 height=9> to open the door.</p>", ["Click {} to open the door."]],
  // What stays.
  ["<p>Use <code>make</code> and then <kbd>Enter</kbd> to start.</p>", ["Use {} and then {} to start."]],
  ["<p>If <math><mi>x</mi></math> is zero, stop.</p>", ["If {} is zero, stop."]],
  ["<p>A word in French is <i lang=fr>bonjour</i> for example.</p>", ["A word in French is {} for example."]],
  ["<p>The firm <span translate=no>Green Apple</span> is old.</p>", ["The firm {} is old."]],
  ["<p>It fell down.<sup>[2]</sup> Nobody knows why.</p>", ["It fell down. Nobody knows why."]],
  ["<p><a class=username href=#>Hunter</a></p><p>A reply to the letter</p>", ["A reply to the letter"]],
  ["<p><i class=material-icons>home</i> Back to the start</p>", ["Back to the start"]],
  ["<button><i class=material-icons>delete</i><span>Delete the picture</span></button>", ["Delete the picture"]],
  [
    "<div class='highlight' style='font-family:monospace;white-space:pre'>while open: wait</div><p>This is code.</p>",
    ["This is code."],
  ],
  ["<div role=textbox>My own words</div><div>The words of the page</div>", ["The words of the page"]],
  // Split for show.
  ["<p><span style='float:left'>T</span>he bridge was built long ago.</p>", ["The bridge was built long ago."]],
  [
    "<h2><span style='display:block'>We bake bread</span><span style='display:block'>for the whole town</span></h2>",
    ["We bake bread for the whole town"],
  ],
  ["<h2><span>W</span><span>e</span> <span>b</span><span>a</span><span>k</span><span>e</span></h2>", ["We bake"]],
  [
    "<h2><div style='display:inline-block'>People</div> <div style='display:inline-block'>love</div> <div style='display:inline-block'>bread</div></h2>",
    ["People love bread"],
  ],
  // Cards.
  [
    "<a href=#><h3>Red chair</h3><p>Made of old wood</p><span>Now cheaper</span></a>",
    ["Red chair", "Made of old wood", "Now cheaper"],
  ],
  [
    "<div><img alt=''> <span>Add to the list</span> <img alt=''> <span>Remove from the list</span></div>",
    ["Add to the list", "Remove from the list"],
  ],
  [
    "<p><span>4 stars</span> <span>Very good</span> <a href=#>All opinions</a></p>",
    ["4 stars", "Very good", "All opinions"],
  ],
  ["<p><small>from</small> <b>ten euros</b></p>", ["from ten euros"]],
  ["<p><del>twenty euros</del> <ins>fifteen euros</ins></p>", ["twenty euros fifteen euros"]],
  ["<figure><img alt=''><figcaption>The river in winter</figcaption></figure>", ["The river in winter"]],
  [
    "<details><summary>More about us</summary>We are a small firm.</details>",
    ["More about us", "We are a small firm."],
  ],
  [
    "<p role=tablist><span role=tab>Details</span> <span role=tab>what others say</span></p>",
    ["Details", "what others say"],
  ],
  ["<p><label>Your name</label> <span>required</span></p>", ["Your name", "required"]],
  ["<svg><text>The best month</text><text y=20>The worst month</text></svg>", ["The best month", "The worst month"]],
  ["<p>Step <b>1</b> Open the box</p>", ["Step 1 Open the box"]],
  [
    "<p><a href=#>English</a> | <a href=#>Our history</a> | <a href=#>Press</a></p>",
    ["English", "Our history", "Press"],
  ],
  [
    "<table><caption>Rooms</caption><tr><td>With a bath<td>With a view of the sea</table>",
    ["Rooms", "With a bath", "With a view of the sea"],
  ],
  [
    "<section><h2>Our offers</h2><p>Only in spring</p><p>While there is any left</p></section>",
    ["Our offers", "Only in spring", "While there is any left"],
  ],
  [
    "<p><label><input type=checkbox> Only new ones</label> <label><input type=checkbox> Only red ones</label></p>",
    ["Only new ones", "Only red ones"],
  ],
  [
    "<ol><li>Cut the bread</li><li>Put <em>butter</em> on it</li><li>Eat it</li></ol>",
    ["Cut the bread", "Put butter on it", "Eat it"],
  ],
  ["<p>Questions? <a href=#>Write to us!</a></p>", ["Questions? Write to us!"]],
  [
    "<select><optgroup label=Fruit><option>Red apple</option><option>Sweet pear</option></optgroup></select>",
    ["Red apple", "Sweet pear"],
  ],
  ["<div><span>Monday</span><span>Cloudy</span><span>Ten degrees</span></div>", ["Monday", "Cloudy", "Ten degrees"]],
  [
    "<aside><h4>See also</h4><a href=#>The old mill</a><br><a href=#>The new mill</a></aside>",
    ["See also", "The old mill", "The new mill"],
  ],
  ["<blockquote>It was a cold day.<footer>The captain</footer></blockquote>", ["It was a cold day.", "The captain"]],
  ["<p>Lost <button>Send a new one</button></p>", ["Lost", "Send a new one"]],
];
