# SPDX-License-Identifier: MIT
"""Tools as people really have them, written by hand, for operator_tools.py to offer.

names | group object | arguments | description
    requests, separated by slashes; a line's end separates too

Group and object are those of operator_words.py. An argument with "?" is optional; after ":" comes
its kind. A request without a final mark goes into one of the frames."""

NATURAL = {
    "train": """
read_file/cat_file | view file | path | Read a text file.
    read {path} / read the file {path} / show the contents of the file {path} / What does the file {path} say?
write_file | create file | path text | Write text to a file.
    write {text} to {path} / put {text} into the file {path} / create the file {path} with {text} in it
append_file | append file | path text | Append a line to a file.
    append {text} to {path} / append the line {text} to {path}
delete_file | delete file | path force? | Delete a file.
    delete the file {path} / remove the file {path} / erase the file {path}
file_size | size file | path | Tell the size of a file.
    tell me the size of {path} / How big is the file {path}?
copy_file | copy file | source:path target | Copy a file.
    copy the file {source} to {target} / make a copy of the file {source} at {target}
move_file | move file | source:path target | Move a file.
    move the file {source} to {target} / move the file from {source} to {target}
list_files/list_directory | view folder | path recursive? | List the files in a folder.
    list the files in {path} / list the folder {path} / Which files are in the folder {path}?
    What is in the directory {path}?
create_folder/make_directory | create folder | path | Create a folder.
    create the folder {path} / make a directory {path}
search_files/grep_files | search folder | query path | Search the files in a folder for a word.
    search {path} for {query} / search for {query} in {path} / Which files in {path} contain {query}?
disk_usage/check_disk | view disk | host | Show how full the disk of a host is.
    check the disk usage of {host} / check the disk on {host} / How full is the disk of {host}?
    How much disk space is left on {host}?
memory_usage | view memory | host | Show the memory in use on a host.
    check the memory usage of {host} / How much memory is in use on {host}? / Is there memory left on {host}?
cpu_load | view cpu | host | Show the CPU load of a host.
    show the CPU load of {host} / How busy is the CPU of {host}?
get_uptime | view uptime | host | Tell how long a host has been up.
    get the uptime of {host} / How long has {host} been up?
ping_host | ping host | host count? | Ping a host.
    ping {host} / ping the host {host} / Does {host} answer a ping?
check_port | view port | host port | Check whether a port of a host is open.
    check port {port} of {host} / Is port {port} open on {host}? / see if {host} listens on port {port}
restart_service/service_restart | restart service | service | Restart a service.
    restart the service {service} / The service {service} hangs, restart it.
stop_service | stop service | service | Stop a service.
    stop the service {service} / shut down the service {service}
start_service | start service | service | Start a service.
    start the service {service} / bring up the service {service}
service_status/check_service | view service | service | Tell whether a service is running.
    check the service {service} / Is the service {service} running?
    What is the status of the service {service}?
tail_log/read_log | view log | path lines:integer | Show the last lines of a log.
    show the last {lines} lines of {path} / tail {lines} lines of {path}
search_logs | search log | query host count? | Search the logs of a host.
    search the logs of {host} for {query} / look for {query} in the logs of {host}
list_processes | view process | host count? | List the processes on a host.
    list the processes on {host} / What is running on {host}?
kill_process | stop process | pid:integer force? | Kill a process by its number.
    kill process {pid} / kill the process with pid {pid}
run_backup/backup_folder | backup folder | path host? | Back up a folder.
    back up the folder {path} / make a backup of the folder {path}
restore_backup | restore backup | backup_id | Restore a backup.
    restore the backup {backup_id} / roll back to the backup {backup_id}
create_ticket/open_ticket | create ticket | title priority? | Create a ticket.
    create a ticket {title} / open a ticket titled {title} / file a new ticket: {title}
close_ticket | close ticket | ticket_id reason? | Close a ticket.
    close ticket {ticket_id} / close the ticket {ticket_id}
get_ticket/show_ticket | view ticket | ticket_id | Show a ticket.
    show ticket {ticket_id} / What is ticket {ticket_id} about? / read the ticket {ticket_id} to me
assign_ticket | assign ticket | ticket_id assignee | Assign a ticket to somebody.
    assign ticket {ticket_id} to {assignee} / give the ticket {ticket_id} to {assignee}
lookup_order/get_order | view order | order_id | Look up an order.
    look up order {order_id} / Where is order {order_id}? / What is the status of the order {order_id}?
    find the order {order_id}
cancel_order | cancel order | order_id reason? | Cancel an order.
    cancel order {order_id} / call off the order {order_id}
refund_order | refund order | order_id amount | Refund an order.
    refund {amount} for order {order_id} / pay back {amount} of the order {order_id}
send_alert/post_alert | send alert | channel text level? | Send an alert to a channel.
    send the alert {text} to {channel} / alert {channel}: {text} / warn the channel {channel} with {text}
send_email/mail | send email | to subject body? | Send an email.
    send an email to {to} with the subject {subject} / mail {subject} to {to} / write to {to} about {subject}
post_message | send message | channel text | Post a message to a channel.
    post {text} in {channel} / tell the channel {channel}: {text} / post the message {text} to {channel}
get_weather/weather | view weather | city unit? | Get the weather of a city.
    get the weather in {city} / What is the weather in {city}? / How is the weather in {city}?
    Will it rain in {city}?
create_user/add_user | create user | user email | Create a user.
    create the user {user} with the email {email} / add {user} ({email}) as a user
reset_password | reset password | user | Reset the password of a user.
    reset the password of {user} / {user} forgot the password, reset it.
schedule_meeting | plan meeting | title date minutes? | Schedule a meeting.
    schedule a meeting {title} on {date} / plan the meeting {title} for {date}
add_reminder | create reminder | text date | Add a reminder.
    remind me of {text} on {date} / add a reminder {text} for {date}
translate_text | translate text | text language | Translate a text.
    translate {text} to {language} / translate {text} into {language}
get_invoice | view invoice | invoice_id | Show an invoice.
    show invoice {invoice_id} / get the invoice {invoice_id}
pay_invoice | pay invoice | invoice_id amount | Pay an invoice.
    pay {amount} on invoice {invoice_id} / pay the invoice {invoice_id} with {amount}
track_shipment | view shipment | shipment_id | Track a shipment.
    track the shipment {shipment_id} / Where is the shipment {shipment_id}?
set_temperature | update heating | room degrees:integer | Set the temperature of a room.
    set the temperature in {room} to {degrees} / heat {room} to {degrees} degrees
turn_on_light | start lamp | room | Turn on the light in a room.
    turn on the light in {room} / switch the light in {room} on
turn_off_light | stop lamp | room | Turn off the light in a room.
    turn off the light in {room} / switch the light in {room} off
stock_level | view stock | product | Tell how many of a product are in stock.
    How many {product} are in stock? / check the stock of {product}
order_product | order product | product quantity:integer | Order more of a product.
    order {quantity} of {product} / order {quantity} pieces of {product}
deploy_release | deploy release | version host | Deploy a release to a host.
    deploy version {version} to {host} / roll out the release {version} on {host}
build_status | view build | build:integer | Show the status of a build.
    Did build {build} pass? / show the status of build {build}
run_tests | test branch | branch | Run the tests of a branch.
    run the tests of the branch {branch} / test the branch {branch}
download_file | download file | url path | Download a file from a URL.
    download the file {url} to {path} / download the file {url} and save it as {path}
block_address | lock address | address:host minutes? | Block an address.
    block the address {address} / keep the address {address} out
current_time | view time | city | Tell the time in a city.
    What time is it in {city}? / tell me the time in {city}
""",
    "held": """
archive_log | archive log | path host? | Archive a log file.
    archive the log {path} / put the log {path} into the archive
unlock_account | unlock account | user | Unlock the account of a user.
    unlock the account of {user} / {user} is locked out, unlock the account.
exchange_rate | view rate | currency:word | Get the exchange rate of a currency.
    What is the exchange rate of {currency}? / get the rate for {currency}
pause_queue | stop queue | queue minutes? | Pause a queue for a while.
    pause the queue {queue} / Can the queue {queue} be paused?
measure_latency | view latency | host count? | Measure the latency to a host.
    measure the latency to {host} / What is the latency of {host}?
book_table | plan dinner | city date guests:integer | Book a table in a city.
    book a table in {city} on {date} for {guests} guests
revoke_token | revoke token | token_id | Revoke a token.
    revoke the token {token_id} / make sure that token {token_id} is revoked
print_label | print label | parcel_id format? | Print the label of a parcel.
    print the label of parcel {parcel_id}
water_plants | water plants | room minutes? | Water the plants in a room.
    water the plants in {room} / The plants in {room} are dry, water them.
rotate_logs | rotate logs | service | Rotate the logs of a service.
    rotate the logs of {service} / The logs of {service} are huge, rotate them.
convert_image | convert image | path format | Convert an image.
    convert the image {path} to {format}
count_lines | count lines | path | Count the lines of a file.
    count the lines of {path} / How many lines does {path} have?
mute_channel | mute channel | channel minutes? | Mute a channel.
    mute the channel {channel} / make {channel} mute
scale_service | scale service | service replicas:integer | Scale a service to some replicas.
    scale {service} to {replicas} replicas
""",
}
